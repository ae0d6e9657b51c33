package io.groundswell.filter;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A split-block Bloom filter over (table, partition hash); immutable. */
public final class BloomFilter {
  /** A block is 8 words of 32 bits; a key sets one bit in each. */
  static final int WORDS = 8;

  static final int BLOCK_BYTES = 4 * WORDS;

  /** Two words at once. */
  static final VarHandle WORDS_2 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final int[] SALT = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7,
      0x2df1424b, 0x9efc4947, 0x5c6bfb31};

  private final byte[] bits;
  private final int offset;
  private final int blocks;

  /** Takes {@code bits[offset, offset + length)} as they are on disk, without a copy. */
  public BloomFilter(byte[] bits, int offset, int length) {
    if (length == 0 || length % BLOCK_BYTES != 0) {
      throw new EngineException(ErrorCode.CORRUPTION,
          "a Bloom filter of " + length + " bytes; a multiple of " + BLOCK_BYTES + " wanted");
    }
    this.bits = bits;
    this.offset = offset;
    this.blocks = length / BLOCK_BYTES;
  }

  /** Bytes of the bits. */
  public int sizeInBytes() {
    return blocks * BLOCK_BYTES;
  }

  /** The 64 well-mixed bits that stand for a pair in the filter (splitmix64's finaliser). */
  static long keyOf(int tableId, int hash) {
    long h = ((long) tableId << 32 | hash & 0xFFFF_FFFFL) + 0x9E3779B97F4A7C15L;
    h = (h ^ h >>> 30) * 0xBF58476D1CE4E5B9L;
    h = (h ^ h >>> 27) * 0x94D049BB133111EBL;
    return h ^ h >>> 31;
  }

  /**
   * False only if the pair was not added. Without branches: a processor that need not guess where
   * a probe ends fetches the lines of many files' filters at the same time.
   */
  public boolean mayContain(FilterKey key) {
    int at = offset + blockOf(key.mixed, blocks) * BLOCK_BYTES;
    long missing = key.bits01 & ~(long) WORDS_2.get(bits, at);
    missing |= key.bits23 & ~(long) WORDS_2.get(bits, at + 8);
    missing |= key.bits45 & ~(long) WORDS_2.get(bits, at + 16);
    missing |= key.bits67 & ~(long) WORDS_2.get(bits, at + 24);
    return missing == 0;
  }

  static int blockOf(long key, int blocks) {
    return (int) ((key >>> 32) * blocks >>> 32);
  }

  /** A key's bits in a word and the one behind it. */
  static long pairOf(int low, int word) {
    return (long) bitOf(low, word) << 32 | bitOf(low, word + 1) & 0xFFFF_FFFFL;
  }

  private static int bitOf(int low, int word) {
    return 1 << (low * SALT[word] >>> 27);
  }
}
