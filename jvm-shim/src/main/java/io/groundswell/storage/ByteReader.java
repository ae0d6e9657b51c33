package io.groundswell.storage;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads what {@link ByteWriter} wrote. Whatever the bytes are, it raises nothing but
 * {@code CORRUPTION} and allocates no more than the bytes it was given.
 */
public final class ByteReader {
  private final String what;
  private final byte[] bytes;
  private final int start;
  private final int end;
  private int position;

  /**
   * Reads {@code bytes[offset, offset + length)}.
   *
   * @param what names the bytes in errors: file and part
   */
  public ByteReader(String what, byte[] bytes, int offset, int length) {
    this.what = what;
    this.bytes = bytes;
    this.start = offset;
    this.position = offset;
    this.end = offset + length;
  }

  public int remaining() {
    return end - position;
  }

  /** Where the next byte is read from, in the array. */
  public int position() {
    return position;
  }

  public int u8() {
    need(1);
    return bytes[position++] & 0xFF;
  }

  public int u16() {
    return u8() << 8 | u8();
  }

  public int u32() {
    return u16() << 16 | u16();
  }

  public long u64() {
    return (long) u32() << 32 | u32() & 0xFFFF_FFFFL;
  }

  public long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = u8();
      if (shift == 63 && next > 1) {
        break;
      }
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw corrupt("a varint of more than 64 bits");
  }

  public long zigzag() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** A varint that counts things: at most {@code limit}. */
  public int count(int limit) {
    long value = varint();
    if (value < 0 || value > limit) {
      throw corrupt("a count of " + Long.toUnsignedString(value) + " where " + limit + " is most");
    }
    return (int) value;
  }

  public byte[] raw(int length) {
    need(length);
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** So many bytes, into an array that has room for them. */
  public void raw(int length, byte[] into, int at) {
    need(length);
    System.arraycopy(bytes, position, into, at, length);
    position += length;
  }

  public void skip(int length) {
    need(length);
    position += length;
  }

  public byte[] blob() {
    return raw(count(remaining()));
  }

  public String string() {
    return new String(blob(), StandardCharsets.UTF_8);
  }

  /** Raises {@code CORRUPTION} unless everything was read. */
  public void expectEnd() {
    if (position != end) {
      throw corrupt(remaining() + " bytes too many");
    }
  }

  private void need(int length) {
    if (length < 0 || length > end - position) {
      throw corrupt("cut short: " + length + " bytes wanted, " + remaining() + " left");
    }
  }

  public EngineException corrupt(String problem) {
    return new EngineException(
        ErrorCode.CORRUPTION, what + ": " + problem + ", at byte " + (position - start));
  }
}
