package io.groundswell.filter;

/**
 * A pair as filters see it, worked out once for all files that are asked; reused from read to
 * read.
 */
public final class FilterKey {
  /** Chooses the block, by its upper half. */
  long mixed;

  /** The eight bits, two words of the filter in each. */
  long bits01;

  long bits23;
  long bits45;
  long bits67;

  public FilterKey set(int tableId, int hash) {
    mixed = BloomFilter.keyOf(tableId, hash);
    bits01 = pair(0);
    bits23 = pair(2);
    bits45 = pair(4);
    bits67 = pair(6);
    return this;
  }

  private long pair(int word) {
    int low = (int) mixed;
    return (long) BloomFilter.bitOf(low, word) << 32
        | BloomFilter.bitOf(low, word + 1) & 0xFFFF_FFFFL;
  }
}
