package io.groundswell.engine;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a commit will be, but for the batch's own rows. Nothing of it is written yet.
 *
 * @param below the version that the batch stands on
 * @param id of this attempt at the next version, unless a pack takes it that has one for all
 * @param levels all below the batch's own rows, merges taken in
 * @param carried files of merges that the commit has to write, in their order, by the provisional
 *     names that they have in {@code levels}
 * @param safeEpoch of the version to be made
 * @param tables of the version to be made, with its counts
 */
record CommitPlan(Version below, String id, Levels levels, Map<String, byte[]> carried,
    long safeEpoch, Catalogue tables) {
  /** The version to be made. */
  long number() {
    return below.number() + 1;
  }

  /** The same, of that id. */
  CommitPlan as(String id) {
    return new CommitPlan(below, id, levels, carried, safeEpoch, tables);
  }

  /** The name of the commit object, where it is one of its own. */
  String objectName() {
    return FileNames.commit(number(), id);
  }

  long carriedBytes() {
    return carried.values().stream().mapToLong(bytes -> bytes.length).sum();
  }

  /** Where the carried files are if they stand one after the other from there on. */
  Map<String, SstInfo> places(String object, long offset) {
    Mark.COMMIT_CARRIES_MERGE.hitIf(!carried.isEmpty());
    Map<String, Long> starts = new HashMap<>();
    long end = offset;
    for (Map.Entry<String, byte[]> file : carried.entrySet()) {
      starts.put(file.getKey(), end);
      end += file.getValue().length;
    }
    Map<String, SstInfo> places = new HashMap<>();
    levels.files()
        .filter(file -> starts.containsKey(file.fileName()))
        .forEach(file -> places.put(file.fileName(), file.at(object, starts.get(file.fileName()))));
    return places;
  }

  /** The version with the batch's rows on top; null if it has none. */
  Version version(Run ownRows, Map<String, SstInfo> places) {
    Levels below = places.isEmpty()
        ? levels
        : levels.moved(file -> places.getOrDefault(file.fileName(), file));
    Levels all = ownRows == null ? below : below.push(List.of(ownRows));
    return new Version(
        number(), id, this.below.id(), safeEpoch, all, tables, this.below.tookOver());
  }
}
