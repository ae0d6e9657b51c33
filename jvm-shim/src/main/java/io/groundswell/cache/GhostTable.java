package io.groundswell.cache;

/**
 * Remembers, about, what was evicted or refused lately: a fingerprint at each place, the newer one
 * stays. Used without a lock: a wrong answer costs nothing but a place in the wrong queue.
 */
final class GhostTable {
  private static final int MIN_PLACES = 1 << 10;
  private static final int MAX_PLACES = 1 << 18;

  /**
   * One place for every eighth block of the usual size that fits: with more of them, reads spread
   * evenly over far more than the cache would keep exchanging what is in it, for no more hits.
   */
  private static final int BYTES_A_PLACE = 32 << 10;

  private volatile int[] prints = new int[MIN_PLACES];

  void resize(long cacheBytes) {
    long wanted = Math.max(MIN_PLACES, Math.min(MAX_PLACES, cacheBytes / BYTES_A_PLACE));
    int places = Integer.highestOneBit((int) wanted);
    if (places != prints.length) {
      prints = new int[places];
    }
  }

  void add(CachedFile file, int slot) {
    long key = keyOf(file, slot);
    int[] now = prints;
    now[placeOf(key, now)] = printOf(key);
  }

  /** True if it was added, and not pushed out by another since. */
  boolean has(CachedFile file, int slot) {
    long key = keyOf(file, slot);
    int[] now = prints;
    return now[placeOf(key, now)] == printOf(key);
  }

  /** As {@link #has}; forgets it. */
  boolean take(CachedFile file, int slot) {
    long key = keyOf(file, slot);
    int[] now = prints;
    int place = placeOf(key, now);
    if (now[place] != printOf(key)) {
      return false;
    }
    now[place] = 0;
    return true;
  }

  private static long keyOf(CachedFile file, int slot) {
    long key = ((long) file.name().hashCode() << 32 ^ slot) * 0x9E3779B97F4A7C15L;
    return (key ^ key >>> 29) * 0xBF58476D1CE4E5B9L;
  }

  private static int placeOf(long key, int[] prints) {
    return (int) (key >>> 40) & prints.length - 1;
  }

  private static int printOf(long key) {
    return (int) key | 1;
  }
}
