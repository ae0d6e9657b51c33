package io.groundswell.iter;

/** What a point read found; a mutable holder that hot loops reuse. */
public final class LookupResult {
  /** No version of the key at or below the epoch: look further down. */
  public static final int ABSENT = 0;

  /** A value. */
  public static final int FOUND = 1;

  /** The key was removed: look no further. */
  public static final int DELETED = 2;

  private static final int MAX_BUFFER = 64 << 10;

  /** Immutable bytes; set if {@link #FOUND}. */
  public byte[] value;

  public int offset;
  public int length;

  /** The epoch that wrote the version; set unless {@link #ABSENT}. */
  public long epoch;

  private byte[] buffer = {};
  private byte[] unpacked = {};

  /**
   * At least so many bytes, the same ones each time: for what a read needs no longer than itself.
   */
  public byte[] buffer(int bytes) {
    if (buffer.length < bytes) {
      buffer = new byte[Math.max(bytes, 2 * buffer.length)];
    }
    return buffer;
  }

  /** Another one, for what those bytes are when unpacked; a large one is not kept. */
  public byte[] unpacked(int bytes) {
    if (bytes > MAX_BUFFER) {
      return new byte[bytes];
    }
    if (unpacked.length < bytes) {
      unpacked = new byte[Math.max(bytes, 2 * unpacked.length)];
    }
    return unpacked;
  }
}
