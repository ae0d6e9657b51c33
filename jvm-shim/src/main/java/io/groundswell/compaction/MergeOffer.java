package io.groundswell.compaction;

import io.groundswell.version.Levels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a commit takes in.
 *
 * @param levels of its base, with the results in place
 * @param safeEpoch of its base, raised by what the results dropped
 * @param results that are in there
 */
public record MergeOffer(Levels levels, long safeEpoch, List<CompactionResult> results) {
  /** Files that the commit has to write, by the provisional names that the levels give them. */
  public Map<String, byte[]> carried() {
    Map<String, byte[]> all = new LinkedHashMap<>();
    results.forEach(result -> all.putAll(result.carried()));
    return all;
  }
}
