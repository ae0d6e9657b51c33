package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.List;
import java.util.Map;

/**
 * A finished merge, waiting for the next commit to take it in.
 *
 * @param task what was asked for
 * @param files of the result, in key order; none if nothing was left
 * @param carried bytes of the files, by their provisional names, if they wait in memory for a
 *     commit to write them; empty if they stand in storage
 */
record CompactionResult(CompactionTask task, List<SstInfo> files, Map<String, byte[]> carried) {
  /**
   * Whether a version may take it in: the order of runs holds afterwards, nothing has come to lie
   * below if tombstones were dropped, it knows no table whose rows the merge took for dropped and
   * has no watermark below that of the merge (an older version that is continued may).
   */
  boolean appliesTo(Levels levels, Catalogue tables) {
    return PickValidator.violation(levels, task.pick()) == null
        && (!task.bottom() || PickValidator.nothingBelow(levels, task.pick()))
        && tables.knownTo(task.base().tables()) && tables.watermarksCover(task.base().tables());
  }

  /** The tree with the inputs replaced by the result. */
  Levels applyTo(Levels levels) {
    Pick pick = task.pick();
    if (pick.target() == 0) {
      List<Run> inputs = pick.inputs().stream().map(part -> new Run(part.files())).toList();
      return levels.replaceSubLevels(inputs, new Run(files));
    }
    return levels.without(pick.files()).with(pick.target(), files);
  }

  /** {@code places} says where a commit has put what it carried, by provisional name. */
  boolean isIn(Levels levels, Map<String, SstInfo> places) {
    List<SstInfo> inputs = task.pick().files();
    if (files.isEmpty()) {
      return levels.files().noneMatch(inputs::contains);
    }
    SstInfo first = files.get(0);
    return levels.files().anyMatch(places.getOrDefault(first.fileName(), first)::equals);
  }

  /** The safe epoch of a version that takes it in. */
  long safeEpoch(long before) {
    return Math.max(before, task.resultSafeEpoch());
  }
}
