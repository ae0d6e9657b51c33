package io.groundswell.version;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;

/**
 * The last bytes of a commit object: where its manifest is, and that both are whole.
 *
 * @param manifestOffset from the object's start
 * @param manifestLength in bytes
 * @param manifestChecksum CRC-32 of the manifest
 * @param format of the manifest
 */
public record
    CommitFooter(long manifestOffset, int manifestLength, int manifestChecksum, int format) {
  public static final int BYTES = 32;

  /** What this build writes, and the newest that it reads. */
  public static final int FORMAT = 1;

  /** Of manifests that may have files of other stores; what is read at most. */
  static final int SHARED_FORMAT = 2;

  /** "GSWCOMIT". */
  static final long MAGIC = 0x475357434F4D4954L;

  private static final int CHECKED = 20;

  /** Manifest and footer, to be written at {@code manifestOffset}. */
  public static byte[] seal(byte[] manifest, long manifestOffset) {
    return seal(manifest, manifestOffset, FORMAT);
  }

  /** The same of a version. */
  public static byte[] seal(Version version, long manifestOffset) {
    return seal(ManifestCodec.encode(version), manifestOffset,
        ManifestCodec.hasShares(version) ? SHARED_FORMAT : FORMAT);
  }

  private static byte[] seal(byte[] manifest, long manifestOffset, int format) {
    ByteWriter out = new ByteWriter(manifest.length + BYTES);
    out.raw(manifest, 0, manifest.length);
    out.u64(manifestOffset).u32(manifest.length);
    out.u32(Checksum.of(manifest, 0, manifest.length)).u32(format);
    out.u32(Checksum.of(out.array(), manifest.length, CHECKED)).u64(MAGIC);
    return out.toBytes();
  }

  /**
   * Reads the last bytes of an object.
   *
   * @param what names the object in errors
   * @param tail ends with the footer
   * @param objectLength of the whole object
   */
  public static CommitFooter parse(String what, byte[] tail, long objectLength) {
    if (tail.length < BYTES) {
      throw corrupt(what, objectLength, "shorter than a footer: torn or foreign");
    }
    int start = tail.length - BYTES;
    ByteReader in = new ByteReader(what, tail, start, BYTES);
    long offset = in.u64();
    int length = in.u32();
    int checksum = in.u32();
    int format = in.u32();
    int ownChecksum = in.u32();
    if (in.u64() != MAGIC) {
      throw corrupt(what, objectLength, "it does not end with a commit's magic: torn or foreign");
    }
    if (ownChecksum != Checksum.of(tail, start, CHECKED)) {
      throw corrupt(what, objectLength, "the footer's checksum differs");
    }
    if (format > SHARED_FORMAT || format < 1) {
      throw new EngineException(ErrorCode.FORMAT_TOO_NEW,
          what + " has format " + format + "; this build reads up to " + SHARED_FORMAT
              + ": open it with a newer one");
    }
    if (offset < 0 || length < 0 || offset + length != objectLength - BYTES) {
      throw corrupt(
          what, objectLength, "a manifest of " + length + " bytes at " + offset + " does not fit");
    }
    return new CommitFooter(offset, length, checksum, format);
  }

  private static EngineException corrupt(String what, long length, String problem) {
    return new EngineException(ErrorCode.CORRUPTION,
        what + " (" + length + " bytes), at byte " + Math.max(0, length - BYTES) + ": " + problem);
  }
}
