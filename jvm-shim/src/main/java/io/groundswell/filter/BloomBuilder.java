package io.groundswell.filter;

import java.util.Arrays;

/** Collects the pairs of a file and makes their filter. */
public final class BloomBuilder {
  private static final int MAX_BLOCKS = 1 << 25;

  private long[] keys = new long[256];
  private int size;

  /** Adds a pair; a run of equal ones counts once. */
  public void add(int tableId, int hash) {
    long key = BloomFilter.keyOf(tableId, hash);
    if (size > 0 && keys[size - 1] == key) {
      return;
    }
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, size + (size >> 1));
    }
    keys[size++] = key;
  }

  /** Pairs added, runs of equal ones once. */
  public int size() {
    return size;
  }

  /** The filter's bytes as they go to disk; empty if there is nothing to filter. */
  public byte[] build(int bitsPerKey) {
    if (size == 0 || bitsPerKey == 0) {
      return new byte[0];
    }
    long wanted = ((long) size * bitsPerKey + 8 * BloomFilter.BLOCK_BYTES - 1)
        / (8 * BloomFilter.BLOCK_BYTES);
    int blocks = (int) Math.min(MAX_BLOCKS, wanted);
    byte[] bits = new byte[blocks * BloomFilter.BLOCK_BYTES];
    for (int k = 0; k < size; k++) {
      int at = BloomFilter.blockOf(keys[k], blocks) * BloomFilter.BLOCK_BYTES;
      int low = (int) keys[k];
      for (int word = 0; word < BloomFilter.WORDS; word += 2) {
        long set = (long) BloomFilter.WORDS_2.get(bits, at + 4 * word);
        BloomFilter.WORDS_2.set(bits, at + 4 * word, set | BloomFilter.pairOf(low, word));
      }
    }
    return bits;
  }
}
