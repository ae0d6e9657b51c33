package io.groundswell.sst;

import io.groundswell.key.InternalKey;
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

  /** Where each partition hash starts, as {@link HashGroups} has it; of a HASHED table alone. */
  private long[] groups = new long[64];

  private int groupCount;

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
    if (layout == TableSpec.Layout.HASHED && (entries == 0 || shared < HashGroups.PREFIX_BYTES)) {
      startGroup(stem);
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

  private void startGroup(byte[] stem) {
    if (groupCount == groups.length) {
      groups = Arrays.copyOf(groups, 2 * groupCount);
    }
    long hash = Frame.intAt(stem, InternalKey.TABLE_BYTES);
    groups[groupCount++] = hash << 32 | content.size();
  }

  /** Completes the content; it stays valid until {@link #reset}. */
  ByteWriter finish() {
    for (int i = 0; i < restartCount; i++) {
      content.u32(restarts[i]);
    }
    return content.u32(restartCount);
  }

  /** The finished content as a reader keeps it in the cache. */
  byte[] forCache() {
    return HashGroups.inFront(groups, groupCount, content.array(), 0, content.size());
  }

  /** Groups in the directory of {@link #forCache}. */
  int groups() {
    return groupCount;
  }

  void reset() {
    content.reset();
    groupCount = 0;
    restartCount = 0;
    entries = 0;
  }
}
