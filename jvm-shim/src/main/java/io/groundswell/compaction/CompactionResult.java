package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.Collections;
import java.util.List;

/**
 * A finished merge, waiting for the next commit to take it in.
 *
 * @param task what was asked for
 * @param output the merged sub-level, which may be empty
 */
public record CompactionResult(CompactionTask task, Run output) {
  /**
   * Whether a version may take it in: it holds exactly the inputs, nothing has come to lie below
   * if tombstones were dropped, and it knows no table whose rows the merge took for dropped (an
   * older version that is continued may still have one).
   */
  public boolean appliesTo(Levels levels, Catalogue tables) {
    List<Run> runs = levels.subLevels();
    int at = Collections.indexOfSubList(runs, task.inputs());
    return at >= 0 && (!task.bottom() || at + task.inputs().size() == runs.size())
        && tables.knownTo(task.base().tables());
  }

  /** The safe epoch of a version that takes it in. */
  public long safeEpoch(long before) {
    return Math.max(before, task.resultSafeEpoch());
  }

  public List<SstInfo> files() {
    return output.files();
  }
}
