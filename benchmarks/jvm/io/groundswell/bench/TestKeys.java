package io.groundswell.bench;

import java.nio.ByteBuffer;

/**
 * Keys as the engine gets them, of 40 bytes that differ at both ends, their hashes, and values that
 * pack to about two thirds.
 */
final class TestKeys {
  static final int BYTES = 40;

  private TestKeys() {}

  /** Makes {@code key} the one of that number; gives its partition hash. */
  static int set(byte[] key, int number) {
    long mixed = number * 0x9E3779B97F4A7C15L;
    for (int i = 0; i < BYTES; i++) {
      key[i] = i < 8 ? (byte) (mixed >>> 8 * i)
          : i < 32   ? (byte) i
                     : (byte) (number >>> 4 * (i - 32));
    }
    return (int) ((mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L >>> 32);
  }

  /** Makes {@code value} that of a number, which its first four bytes are; the rest is text. */
  static void setValue(byte[] value, int number) {
    ByteBuffer.wrap(value).putInt(number);
    long mixed = number;
    for (int i = 4; i < value.length; i++) {
      mixed = i % 12 == 4 ? (mixed ^ mixed >>> 31) * 0x9E3779B97F4A7C15L + i : mixed;
      value[i] = i < value.length / 4 ? 0 : (byte) ('a' + (mixed >>> 5 * (i % 12) & 31));
    }
  }
}
