package io.groundswell.compaction;

/**
 * The numbers that pickers go by.
 *
 * @param subLevels so many sub-levels start a merge; {@value #NEVER} and more: none is started
 * @param targetFileBytes about the size of a file in level 1 and deeper
 * @param levelBaseBytes a level above the deepest is opened where that one's size, divided by
 *     {@link LevelTargets#MULTIPLIER} so many times, still is above this
 * @param retained versions that other processes spare if they retire while this one commits
 */
public record
    CompactionOptions(int subLevels, long targetFileBytes, long levelBaseBytes, long retained) {
  static final int NEVER = 1000;

  boolean never() {
    return subLevels >= NEVER;
  }

  /** Below this a file is not worth a place of its own in a level. */
  long smallFileBytes() {
    return Math.max(1, targetFileBytes / 4);
  }

  /** Cuts in level 0 leave no files smaller than this. */
  long smallestCutBytes() {
    return Math.max(1, targetFileBytes / 32);
  }

  /** More is not put in one task, unless it cannot be divided. */
  long maxTaskBytes() {
    return 8 * targetFileBytes;
  }

  /** What fresh sub-levels go down with has no more: a longer merge would keep them waiting. */
  long maxDirectBytes() {
    return 2 * targetFileBytes;
  }
}
