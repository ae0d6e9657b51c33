package io.groundswell.version;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;

/** Opens a version from its commit object: one small read, whatever the state's size. */
public final class CommitReader {
  private static final int TAIL = 32 << 10;

  private CommitReader() {}

  /**
   * Reads the manifest of a commit that is an object of its own.
   *
   * @param length of the object, if a listing told it; else -1
   */
  public static Version read(ObjectStore folder, long number, String id, long length)
      throws IOException {
    String name = FileNames.commit(number, id);
    return read(folder, name, 0, length < 0 ? folder.length(name) : length, number, id);
  }

  /** Reads the manifest of a commit that is {@code size} bytes of an object from an offset on. */
  public static Version read(ObjectStore folder, String name, long offset, long size, long number,
      String id) throws IOException {
    int tailLength = (int) Math.min(TAIL, size);
    byte[] tail = folder.read(name, offset + size - tailLength, tailLength);
    String what = folder.locationOf(name);
    CommitFooter footer = CommitFooter.parse(what, tail, size);
    int start = tailLength - CommitFooter.BYTES - footer.manifestLength();
    byte[] manifest = tail;
    if (start < 0) {
      manifest = folder.read(name, offset + footer.manifestOffset(), footer.manifestLength());
      start = 0;
    }
    if (Checksum.of(manifest, start, footer.manifestLength()) != footer.manifestChecksum()) {
      throw new EngineException(ErrorCode.CORRUPTION,
          what + ", at byte " + footer.manifestOffset() + ": the manifest's checksum differs");
    }
    ByteReader in = new ByteReader(what + ", manifest", manifest, start, footer.manifestLength());
    Version version = ManifestCodec.decode(in, footer.format());
    if (version.number() != number || !id.equals(version.id())) {
      throw in.corrupt("it is of version " + version.number() + ", id " + version.id());
    }
    return version;
  }
}
