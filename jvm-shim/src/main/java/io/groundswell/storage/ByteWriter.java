package io.groundswell.storage;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array; fixed-width numbers are big-endian, varints are LEB128. */
public final class ByteWriter {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes;
  private int size;

  public ByteWriter(int capacity) {
    bytes = new byte[Math.max(16, capacity)];
  }

  /** The bytes written so far are {@code array()[0, size())}; valid until the next write. */
  public byte[] array() {
    return bytes;
  }

  public int size() {
    return size;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  public void reset() {
    size = 0;
  }

  public ByteWriter u8(int value) {
    room(1);
    bytes[size++] = (byte) value;
    return this;
  }

  public ByteWriter u16(int value) {
    room(2);
    bytes[size++] = (byte) (value >>> 8);
    bytes[size++] = (byte) value;
    return this;
  }

  public ByteWriter u32(int value) {
    room(4);
    INT.set(bytes, size, value);
    size += 4;
    return this;
  }

  public ByteWriter u64(long value) {
    room(8);
    LONG.set(bytes, size, value);
    size += 8;
    return this;
  }

  /** Unsigned LEB128, 1 to 10 bytes. */
  public ByteWriter varint(long value) {
    room(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest & 0x7F | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
    return this;
  }

  /** A varint of the zigzag form: small for small magnitudes of either sign. */
  public ByteWriter zigzag(long value) {
    return varint(value << 1 ^ value >> 63);
  }

  public ByteWriter raw(byte[] source, int offset, int length) {
    room(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
    return this;
  }

  /** A length as varint, then the bytes. */
  public ByteWriter blob(byte[] source) {
    return varint(source.length).raw(source, 0, source.length);
  }

  /** A string as blob of UTF-8. */
  public ByteWriter string(String text) {
    return blob(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Makes room for so many bytes, which someone else puts into {@link #array}. */
  public ByteWriter room(int more) {
    if (bytes.length - size < more) {
      long wanted =
          Math.max((long) size + more, Math.min(2L * bytes.length, Integer.MAX_VALUE - 8));
      if (wanted > Integer.MAX_VALUE - 8) {
        throw new OutOfMemoryError("a part of a file would have " + wanted + " bytes");
      }
      bytes = Arrays.copyOf(bytes, (int) wanted);
    }
    return this;
  }

  /** Counts bytes that someone else has put there, for which room was made. */
  public ByteWriter skip(int length) {
    size += length;
    return this;
  }
}
