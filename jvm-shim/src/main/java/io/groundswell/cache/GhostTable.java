package io.groundswell.cache;

/**
 * Remembers, about, what was evicted lately: a fingerprint at each place, the newer one stays. A
 * wrong answer, one in millions, costs nothing but a place in the wrong queue.
 */
final class GhostTable {
  private static final int MIN_PLACES = 1 << 10;
  private static final int MAX_PLACES = 1 << 18;

  /** A block's size as configured unless a user says otherwise; one place for each that fits. */
  private static final int TYPICAL_BLOCK = 16 << 10;

  private int[] prints = new int[MIN_PLACES];

  void resize(long cacheBytes) {
    long wanted = Math.max(MIN_PLACES, Math.min(MAX_PLACES, cacheBytes / TYPICAL_BLOCK));
    int places = Integer.highestOneBit((int) wanted);
    if (places != prints.length) {
      prints = new int[places];
    }
  }

  void add(CachedFile file, int slot) {
    long key = keyOf(file, slot);
    prints[placeOf(key)] = printOf(key);
  }

  /** True if it was added, and not pushed out by another since; forgets it. */
  boolean take(CachedFile file, int slot) {
    long key = keyOf(file, slot);
    int place = placeOf(key);
    if (prints[place] != printOf(key)) {
      return false;
    }
    prints[place] = 0;
    return true;
  }

  private static long keyOf(CachedFile file, int slot) {
    long key = ((long) file.name().hashCode() << 32 ^ slot) * 0x9E3779B97F4A7C15L;
    return (key ^ key >>> 29) * 0xBF58476D1CE4E5B9L;
  }

  private int placeOf(long key) {
    return (int) (key >>> 40) & prints.length - 1;
  }

  private static int printOf(long key) {
    return (int) key | 1;
  }
}
