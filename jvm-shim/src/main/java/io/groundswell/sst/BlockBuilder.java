package io.groundswell.sst;

import io.groundswell.key.TableSpec;
import io.groundswell.storage.ByteWriter;
import java.util.Arrays;

/** Builds a data block's content; see docs/format.md for its bytes. */
final class BlockBuilder {
  static final int RESTART_INTERVAL = 16;

  private final ByteWriter content;
  private int[] restarts = new int[16];
  private int restartCount;
  private int entries;
  private long baseEpoch;
  private TableSpec.Layout layout;

  BlockBuilder(int blockBytes) {
    content = new ByteWriter(blockBytes + blockBytes / 4);
  }

  boolean isEmpty() {
    return entries == 0;
  }

  /** Bytes that the content would have if finished now. */
  long size() {
    return content.size() + 4L * restartCount + 4;
  }

  /** Sets the layout of the table that the next block belongs to; null: not known. */
  void layout(TableSpec.Layout newLayout) {
    layout = newLayout;
  }

  /**
   * Appends an entry.
   *
   * @param shared bytes of the stem that it has in common with the entry before
   */
  void add(byte[] stem, int stemLength, int shared, long epoch, boolean delete, byte[] value,
      int valueOffset, int valueLength) {
    if (entries == 0) {
      baseEpoch = epoch;
      content.u64(epoch).u8(layout == null ? Block.NO_LAYOUT : layout.ordinal());
    }
    int kept = shared;
    if (entries % RESTART_INTERVAL == 0) {
      kept = 0;
      if (restartCount == restarts.length) {
        restarts = Arrays.copyOf(restarts, 2 * restartCount);
      }
      restarts[restartCount++] = content.size();
    }
    content.varint(kept).varint(stemLength - kept);
    content.varint((long) valueLength << 1 | (delete ? 1 : 0)).zigzag(epoch - baseEpoch);
    content.raw(stem, kept, stemLength - kept).raw(value, valueOffset, valueLength);
    entries++;
  }

  /** Completes the content; it stays valid until {@link #reset}. */
  ByteWriter finish() {
    for (int i = 0; i < restartCount; i++) {
      content.u32(restarts[i]);
    }
    return content.u32(restartCount);
  }

  void reset() {
    content.reset();
    restartCount = 0;
    entries = 0;
  }
}
