package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;

/**
 * The last 64 bytes of an SST section: where its parts are, which format it has. Offsets count from
 * the section's first byte. Size, place of the version, checksum and magic never change, so that
 * any build can name the format of any file.
 */
record SstFooter(long indexOffset, int indexLength, long filterOffset, int filterLength,
    long propertiesOffset, int propertiesLength, long sectionLength) {
  static final int BYTES = 64;
  static final int MAJOR = 1;
  static final int MINOR = 0;

  /** "GSWLSST" and a byte that no text has. */
  static final long MAGIC = 0x4753574C_53535489L;

  private static final int CHECKED = BYTES - 12;

  byte[] encode() {
    ByteWriter out = new ByteWriter(BYTES);
    out.u64(indexOffset).u32(indexLength).u64(filterOffset).u32(filterLength);
    out.u64(propertiesOffset).u32(propertiesLength).u64(sectionLength).u32(0);
    out.u16(MAJOR).u16(MINOR);
    return out.u32(Checksum.of(out.array(), 0, CHECKED)).u64(MAGIC).toBytes();
  }

  /** Reads the footer at {@code bytes[offset, offset + BYTES)}. */
  static SstFooter decode(String what, byte[] bytes, int offset) {
    ByteReader in = new ByteReader(what + ", footer", bytes, offset, BYTES);
    SstFooter footer =
        new SstFooter(in.u64(), in.u32(), in.u64(), in.u32(), in.u64(), in.u32(), in.u64());
    in.u32();
    int major = in.u16();
    int minor = in.u16();
    int stored = in.u32();
    if (in.u64() != MAGIC) {
      throw in.corrupt("this is not an SST file: the magic number is missing");
    }
    int actual = Checksum.of(bytes, offset, CHECKED);
    if (stored != actual) {
      throw in.corrupt(String.format("checksum is %08x, but bytes have %08x", stored, actual));
    }
    if (major > MAJOR) {
      throw new EngineException(ErrorCode.FORMAT_TOO_NEW,
          what + " has format " + major + "." + minor + "; this build reads up to " + MAJOR
              + ".x: use a newer one");
    }
    footer.check(in);
    return footer;
  }

  private void check(ByteReader in) {
    boolean inOrder = indexOffset >= 0 && indexLength >= 0
        && indexOffset + indexLength == filterOffset && filterLength >= 0
        && filterOffset + filterLength == propertiesOffset && propertiesLength >= 0
        && propertiesOffset + propertiesLength + BYTES == sectionLength && sectionLength > 0;
    if (!inOrder) {
      throw in.corrupt("its parts do not lie one after the other: " + this);
    }
  }
}
