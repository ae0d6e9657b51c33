package io.groundswell.sst;

import java.util.ArrayList;
import java.util.List;

/**
 * An SST's parts as they were written, kept to go into the cache once the file is published: who
 * reads what was just committed reads no file. Bounded: a larger SST keeps its first blocks.
 */
public final class WrittenBlocks {
  private final long maxBytes;
  private final List<Kept> blocks = new ArrayList<>();
  private long bytes;
  private byte[] tail;
  private SstInfo info;

  /** A block's array as the cache has it, and how many groups its directory has. */
  record Kept(byte[] bytes, int groups) {}

  public WrittenBlocks(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The SST that was written; null if there was nothing to write. */
  public SstInfo info() {
    return info;
  }

  /** Says where the SST is, if that was not known when it was written. */
  public void moved(SstInfo place) {
    info = place;
  }

  /** Takes a block in that is finished. */
  void block(BlockBuilder block) {
    if (tail == null && bytes >= 0 && bytes + block.size() <= maxBytes) {
      Kept kept = new Kept(block.forCache(), block.groups());
      blocks.add(kept);
      bytes += kept.bytes.length;
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
    reader.adopt(tail, blocks);
  }
}
