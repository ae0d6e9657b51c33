package io.groundswell.sst;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An SST's parts as they were written, kept to go into the cache once the file is published: who
 * reads what was just committed reads no file. Bounded: a larger SST keeps its first blocks.
 */
public final class WrittenBlocks {
  private final long maxBytes;
  private final List<byte[]> contents = new ArrayList<>();
  private long bytes;
  private byte[] tail;
  private SstInfo info;

  public WrittenBlocks(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The SST that was written; null if there was nothing to write. */
  public SstInfo info() {
    return info;
  }

  void block(byte[] content, int length) {
    if (tail == null && bytes + length <= maxBytes && bytes >= 0) {
      contents.add(Arrays.copyOf(content, length));
      bytes += length;
    } else {
      bytes = -1; // blocks are kept from the first on, without gaps
    }
  }

  void finish(SstInfo written, byte[] tailBytes) {
    info = written;
    tail = tailBytes;
  }

  /** Puts what was kept into the cache, through a reader of the SST. */
  public void putInto(SstReader reader) {
    reader.adopt(tail, contents);
  }
}
