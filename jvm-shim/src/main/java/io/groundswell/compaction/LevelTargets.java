package io.groundswell.compaction;

import io.groundswell.version.Levels;

/**
 * How large levels should be, from the size of the deepest: each is a tenth of the next, and levels
 * that would be smaller than the option says are not opened. As data grows, the base level moves up
 * ("dynamic level bytes", as RocksDB has it). The share of bytes above the deepest level stays
 * small at any size, and with it space amplification.
 */
final class LevelTargets {
  static final int MULTIPLIER = 10;

  private final long[] target = new long[Levels.DEEPEST + 1];
  private int base = Levels.DEEPEST;

  LevelTargets(Levels levels, long levelBaseBytes) {
    long largest = 0;
    for (int n = 1; n <= Levels.DEEPEST; n++) {
      largest = Math.max(largest, levels.level(n).bytes());
    }
    target[Levels.DEEPEST] = Long.MAX_VALUE;
    for (long size = largest; base > 1 && size > levelBaseBytes; base--) {
      size /= MULTIPLIER;
      target[base - 1] = size;
    }
    for (int n = 1; n < base; n++) {
      if (!levels.level(n).isEmpty()) {
        base = n; // data shrank: this level is being emptied, and nothing may pass it by
      }
    }
  }

  /** The level that level 0 is merged into; those between are empty. */
  int base() {
    return base;
  }

  /** Bytes that level {@code n} may have; 0: it should be emptied. */
  long target(int n) {
    return target[n];
  }
}
