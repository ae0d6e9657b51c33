package io.groundswell.sst;

import java.io.IOException;
import java.io.OutputStream;

/** CONTRACT STUB, body follows: writes one SST section into an object. Does not close {@code out}. */
public final class SstWriter {
  /**
   * Starts a section.
   *
   * @param startOffset bytes already written to {@code out}: where in the object the section starts
   */
  public SstWriter(OutputStream out, long startOffset, SstOptions options) {}

  /** Adds an entry; internal keys must grow strictly. All bytes are copied. */
  public void add(
      byte[] key, int keyLength, boolean delete, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Bytes that the section would have if finished now, about. */
  public long estimatedSize() {
    throw new UnsupportedOperationException();
  }

  public long entries() {
    throw new UnsupportedOperationException();
  }

  /** Writes what is left; at least one entry must have been added. */
  public SstInfo finish(String fileName) throws IOException {
    throw new UnsupportedOperationException();
  }
}
