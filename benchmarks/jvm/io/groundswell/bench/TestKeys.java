package io.groundswell.bench;

/** Keys as the engine gets them, of 40 bytes that differ at both ends, and their hashes. */
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
}
