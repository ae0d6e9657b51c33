package io.groundswell.storage;

import java.util.zip.CRC32;

/**
 * The checksum of every part of every file: CRC-32 of ISO-HDLC, zlib's. The JVM computes it in
 * hardware, and other languages have it in their standard library.
 */
public final class Checksum {
  private Checksum() {}

  public static int of(byte[] bytes, int offset, int length) {
    CRC32 crc = new CRC32();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
