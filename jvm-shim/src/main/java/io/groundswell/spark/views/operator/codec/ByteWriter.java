package io.groundswell.spark.views.operator.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing byte array; fixed-width numbers are big-endian. */
public final class ByteWriter {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  public byte[] bytes = new byte[64];
  public int length;

  public void clear() {
    length = 0;
  }

  public void putByte(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  public void putInt(int value) {
    reserve(Integer.BYTES);
    INT.set(bytes, length, value);
    length += Integer.BYTES;
  }

  public void putLong(long value) {
    reserve(Long.BYTES);
    LONG.set(bytes, length, value);
    length += Long.BYTES;
  }

  /** 7 bits a byte, lowest first, small magnitudes of either sign short. */
  public void putVarLong(long value) {
    long rest = (value << 1) ^ (value >> 63);
    while ((rest & ~0x7FL) != 0) {
      putByte((int) (rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    putByte((int) rest);
  }

  public void putBytes(byte[] from, int offset, int count) {
    reserve(count);
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }

  /** Turns the order of what was written from {@code from} on around. */
  public void invert(int from) {
    int at = from;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      LONG.set(bytes, at, ~(long) LONG.get(bytes, at));
    }
    for (; at < length; at++) {
      bytes[at] = (byte) ~bytes[at];
    }
  }

  public byte[] copy(int from) {
    return Arrays.copyOfRange(bytes, from, length);
  }

  private void reserve(int count) {
    if (bytes.length - length < count) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }
  }
}
