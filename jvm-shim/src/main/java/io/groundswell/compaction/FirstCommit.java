package io.groundswell.compaction;

import io.groundswell.version.Levels;

/**
 * The first commit of a store in a process. It may be the only one, as where a scheduler starts a
 * process for each batch: what is merged behind it comes to nothing then. So none is begun behind
 * it, and where processes of before have left too much to be merged, that comes first. Stores
 * differ in how much they bear, so that those of one pipeline are not all due at once.
 */
final class FirstCommit {
  /** So many merges come before it, at most: of what is fresh, and what is due then. */
  static final int MERGES = 2;

  private final int most;
  private boolean made; // guarded by the store's merges

  /** Of the store at a location. */
  FirstCommit(String location, CompactionOptions options) {
    most = options.subLevels() + Math.floorMod(location.hashCode(), options.subLevels());
  }

  /** Whether it is still to come, and others have left it too many sub-levels. */
  boolean isBehind(Levels levels) {
    return !made && TierPicker.fresh(levels) > most;
  }

  /** Tells of a commit; true if it is the first. */
  boolean committed() {
    boolean first = !made;
    made = true;
    return first;
  }
}
