package io.groundswell.engine;

import io.groundswell.compaction.BackgroundCompaction;
import io.groundswell.storage.Mark;
import io.groundswell.version.Levels;
import io.groundswell.version.Version;

/**
 * How long a commit waits for a merge. With so many times the sub-levels that start a merge it
 * waits a moment, which slows the writer down a little; with so many more, it waits in earnest.
 */
final class BackPressure {
  private static final int SLOW_FACTOR = 4;
  private static final int STALL_FACTOR = 10;
  private static final long SLOW_MILLIS = 10;
  private static final long STALL_MILLIS = 1_000;

  private BackPressure() {}

  /** Does merges or waits for them, before a commit on top of a version; gives milliseconds. */
  static long await(BackgroundCompaction merges, Version below, StoreOptions options) {
    long merged = merges.catchUp(below, () -> !CommitFinisher.packs(below).isEmpty());
    long most = millis(below.levels(), options);
    return merged + (most == 0 ? 0 : merges.awaitResult(most));
  }

  /** Milliseconds at most; 0: merges keep up. */
  static long millis(Levels levels, StoreOptions options) {
    long subLevels = levels.ownSubLevels();
    if (subLevels < SLOW_FACTOR * options.compactAtFiles()) {
      return 0;
    }
    Mark.COMMIT_WAITS_FOR_MERGE.hit();
    return subLevels >= STALL_FACTOR * options.compactAtFiles() ? STALL_MILLIS : SLOW_MILLIS;
  }
}
