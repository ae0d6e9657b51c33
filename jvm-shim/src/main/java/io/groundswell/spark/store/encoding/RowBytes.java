package io.groundswell.spark.store.encoding;

import io.groundswell.engine.Slice;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/** Rows as bytes and bytes as rows, without a copy where the row lives in a byte array. */
public final class RowBytes {
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private RowBytes() {}

  /** Points {@code out} at the row's bytes; copies them only if they are off heap. */
  public static void of(UnsafeRow row, Slice out) {
    if (row.getBaseObject() instanceof byte[] bytes) {
      out.set(bytes, (int) (row.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET), sizeOf(row));
    } else {
      out.set(row.getBytes(), 0, sizeOf(row));
    }
  }

  static int sizeOf(UnsafeRow row) {
    return row.getSizeInBytes();
  }

  /** A new row over these bytes, which must not change as long as the row is used. */
  public static UnsafeRow row(byte[] bytes, int offset, int length, int fields) {
    UnsafeRow row = new UnsafeRow(fields);
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + (long) offset, length);
    return row;
  }

  static long getLong(byte[] bytes, int offset) {
    return Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET + (long) offset);
  }

  static void putLong(byte[] bytes, int offset, long value) {
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + (long) offset, value);
  }

  static void putLongBigEndian(byte[] bytes, int offset, long value) {
    putLong(bytes, offset, LITTLE ? Long.reverseBytes(value) : value);
  }

  static long getLongBigEndian(byte[] bytes, int offset) {
    long value = getLong(bytes, offset);
    return LITTLE ? Long.reverseBytes(value) : value;
  }
}
