package io.groundswell.spark.views.operator.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Reads what {@link ByteWriter} wrote. */
public final class ByteReader {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes;
  private int at;

  public static int intAt(byte[] from, int offset) {
    return (int) INT.get(from, offset);
  }

  public void set(byte[] from, int offset) {
    bytes = from;
    at = offset;
  }

  /** Where the next byte is read. */
  public int position() {
    return at;
  }

  public void skip(int count) {
    at += count;
  }

  byte getByte() {
    return bytes[at++];
  }

  public int getInt() {
    at += Integer.BYTES;
    return intAt(bytes, at - Integer.BYTES);
  }

  public long getLong() {
    return getUnsigned(Long.BYTES);
  }

  private long getUnsigned(int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      value = value << 8 | (bytes[at++] & 0xFF);
    }
    return value;
  }

  public long getVarLong() {
    long value = 0;
    int shift = 0;
    byte next;
    do {
      next = bytes[at++];
      value |= (next & 0x7FL) << shift;
      shift += 7;
    } while (next < 0);
    return (value >>> 1) ^ -(value & 1);
  }

  public byte[] getBytes(int count) {
    at += count;
    return Arrays.copyOfRange(bytes, at - count, at);
  }
}
