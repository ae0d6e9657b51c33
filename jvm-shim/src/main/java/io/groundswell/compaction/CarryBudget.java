package io.groundswell.compaction;

/** Bytes that results of merges may hold in memory until commits take them in. Thread-safe. */
public final class CarryBudget {
  /** One result may take so large a part of it. */
  private static final int SHARE = 8;

  private final long maxBytes;
  private long used; // guarded by this

  public CarryBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Larger merges write files of their own. */
  long maxMergeBytes() {
    return maxBytes / SHARE;
  }

  synchronized boolean reserve(long bytes) {
    if (bytes > maxBytes - used) {
      return false;
    }
    used += bytes;
    return true;
  }

  synchronized void release(long bytes) {
    used -= bytes;
  }
}
