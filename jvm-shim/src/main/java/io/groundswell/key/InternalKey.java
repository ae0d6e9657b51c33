package io.groundswell.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Internal keys, without an object for each: {@code table (2) | hash (4) | user key | ~epoch (8)}
 * if {@code HASHED}, {@code table (2) | user key | hash (4) | ~epoch (8)} if {@code ORDERED}.
 *
 * <p>The <em>stem</em> is all of it before the epoch: it names a row, whatever its version.
 */
public final class InternalKey {
  /** Longest user key: 1 MiB. A block holds whole keys, and so does the index. */
  public static final int MAX_USER_KEY = 1 << 20;

  public static final int TABLE_BYTES = 2;
  public static final int HASH_BYTES = 4;
  public static final int EPOCH_BYTES = 8;

  /** What an internal key is longer than its user key. */
  public static final int OVERHEAD = TABLE_BYTES + HASH_BYTES + EPOCH_BYTES;

  /** Longest internal key. */
  public static final int MAX_LENGTH = MAX_USER_KEY + OVERHEAD;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private InternalKey() {}

  public static int encodedLength(int userKeyLength) {
    return userKeyLength + OVERHEAD;
  }

  /** Writes stem and epoch to {@code dst}, which has room; returns the internal key's length. */
  public static int encode(TableSpec table, int hash, byte[] key, int offset, int length,
      long epoch, byte[] dst, int dstOffset) {
    int stem = encodeStem(table, hash, key, offset, length, dst, dstOffset);
    putEpoch(dst, dstOffset + stem, epoch);
    return stem + EPOCH_BYTES;
  }

  /** Writes the stem alone; returns its length. */
  public static int encodeStem(
      TableSpec table, int hash, byte[] key, int offset, int length, byte[] dst, int dstOffset) {
    if (length > MAX_USER_KEY) {
      throw new KeyTooLongException(table.name(), key, offset, length);
    }
    putTable(dst, dstOffset, table.id());
    if (table.layout() == TableSpec.Layout.HASHED) {
      INT.set(dst, dstOffset + TABLE_BYTES, hash);
      System.arraycopy(key, offset, dst, dstOffset + TABLE_BYTES + HASH_BYTES, length);
    } else {
      System.arraycopy(key, offset, dst, dstOffset + TABLE_BYTES, length);
      INT.set(dst, dstOffset + TABLE_BYTES + length, hash);
    }
    return length + TABLE_BYTES + HASH_BYTES;
  }

  static void putTable(byte[] dst, int offset, int id) {
    dst[offset] = (byte) (id >>> 8);
    dst[offset + 1] = (byte) id;
  }

  /** Writes the 8 bytes that stand for {@code epoch} in a key. */
  public static void putEpoch(byte[] dst, int offset, long epoch) {
    LONG.set(dst, offset, ~epoch);
  }

  /** Order of two internal keys. */
  public static int compare(byte[] a, int aLength, byte[] b, int bLength) {
    int order = compareStems(a, aLength - EPOCH_BYTES, b, bLength - EPOCH_BYTES);
    return order != 0 ? order
                      : Long.compareUnsigned((long) LONG.get(a, aLength - EPOCH_BYTES),
                            (long) LONG.get(b, bLength - EPOCH_BYTES));
  }

  /** Order of two stems, which need not be whole. */
  public static int compareStems(byte[] a, int aLength, byte[] b, int bLength) {
    if (aLength >= 8 && bLength >= 8) {
      // Table and hash decide most comparisons: one of longs is cheaper than a call.
      long x = (long) LONG.get(a, 0);
      long y = (long) LONG.get(b, 0);
      if (x != y) {
        return Long.compareUnsigned(x, y);
      }
    }
    return Arrays.compareUnsigned(a, 0, aLength, b, 0, bLength);
  }

  /**
   * The first 8 bytes of a key's stem as a number, zeros behind a shorter one: where two differ,
   * their order as signed numbers is that of the keys.
   */
  public static long head(byte[] key, int length) {
    int stem = length - EPOCH_BYTES;
    long head = 0;
    if (stem >= 8) {
      head = (long) LONG.get(key, 0);
    } else {
      for (int i = 0; i < stem; i++) {
        head |= (key[i] & 0xFFL) << 56 - 8 * i;
      }
    }
    return head ^ Long.MIN_VALUE;
  }

  /** True if two internal keys are versions of one row. */
  public static boolean sameUserKey(byte[] a, int aLength, byte[] b, int bLength) {
    return aLength == bLength
        && Arrays.equals(a, 0, aLength - EPOCH_BYTES, b, 0, bLength - EPOCH_BYTES);
  }

  public static long epochOf(byte[] key, int length) {
    return ~(long) LONG.get(key, length - EPOCH_BYTES);
  }

  public static int tableOf(byte[] key) {
    return tableAt(key, 0);
  }

  /** The table of the stem that starts at an offset. */
  public static int tableAt(byte[] bytes, int offset) {
    return (bytes[offset] & 0xFF) << 8 | bytes[offset + 1] & 0xFF;
  }

  public static int hashOf(TableSpec.Layout layout, byte[] key, int length) {
    return (int) INT.get(
        key, layout == TableSpec.Layout.HASHED ? TABLE_BYTES : length - EPOCH_BYTES - HASH_BYTES);
  }

  public static int userKeyOffset(TableSpec.Layout layout) {
    return layout == TableSpec.Layout.HASHED ? TABLE_BYTES + HASH_BYTES : TABLE_BYTES;
  }

  public static int userKeyLength(int internalLength) {
    return internalLength - OVERHEAD;
  }
}
