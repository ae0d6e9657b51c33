package io.groundswell.filter;

/**
 * A pair as filters see it, worked out once for all files that are asked; reused from read to
 * read.
 */
public final class FilterKey {
  /** The row's partition hash. */
  private int hash;

  /** Chooses the block, by its upper half. */
  long mixed;

  /** The eight bits, two words of the filter in each. */
  long bits01;

  long bits23;
  long bits45;
  long bits67;

  public FilterKey set(int tableId, int hash) {
    this.hash = hash;
    mixed = BloomFilter.keyOf(tableId, hash);
    int low = (int) mixed;
    bits01 = BloomFilter.pairOf(low, 0);
    bits23 = BloomFilter.pairOf(low, 2);
    bits45 = BloomFilter.pairOf(low, 4);
    bits67 = BloomFilter.pairOf(low, 6);
    return this;
  }

  public int hash() {
    return hash;
  }
}
