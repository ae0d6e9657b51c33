package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Version;
import java.util.Map;
import java.util.Set;

/**
 * A commit that was made, as the background hears of it.
 *
 * @param places where it has put the files of merges that it carried, by provisional name
 * @param shared whether it shares an object with commits of other stores, as the next one may
 * @param sparse objects that are mostly dead, and had better be left
 */
public record InstalledCommit(
    Version version, Map<String, SstInfo> places, boolean shared, Set<String> sparse) {}
