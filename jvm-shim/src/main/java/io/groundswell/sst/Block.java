package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.storage.ByteReader;
import java.util.Arrays;

/**
 * A data block's content: header, entries, restart offsets, their number. Immutable; values are
 * handed out as slices of {@code bytes}. Positions are places in that array.
 */
final class Block {
  /** Base epoch (8), layout (1). */
  static final int HEADER_BYTES = 9;

  /** What a cached array takes besides its bytes, about: its header and the cache's entry. */
  private static final int OBJECT_BYTES = 64;

  /** The layout byte of a block whose table is of no known layout. */
  static final int NO_LAYOUT = 0xFF;

  final byte[] bytes;

  /** Position of the first entry, and behind the last. */
  final int firstEntry;

  final int entriesEnd;

  /** Epochs are stored as distances from this one. */
  final long baseEpoch;

  /** Groups in the directory in front of the content; 0: it has none (see {@link HashGroups}). */
  final int groups;

  /** Of the groups: their table, the smallest hash, and how many groups lie in a step of one. */
  final int tableId;

  final long firstHash;
  final double groupsPerHash;

  private final int start;
  private final int restartCount;
  private final String file;
  private final long offset;

  /** A block out of the cache, which was checked before it went in. */
  Block(String file, long offset, byte[] cached, BlockHeads heads, int i) {
    this.file = file;
    this.offset = offset;
    bytes = cached;
    groups = heads.groups(i);
    start = HashGroups.BYTES * groups;
    firstEntry = start + HEADER_BYTES;
    entriesEnd = heads.entriesEnd(i);
    baseEpoch = heads.baseEpoch(i);
    restartCount = Frame.intAt(bytes, bytes.length - 4);
    tableId = heads.tableId(i);
    firstHash = heads.firstHash(i);
    groupsPerHash = heads.groupsPerHash(i);
  }

  /**
   * A block that was checked, or has just been written.
   *
   * @param combined a directory of so many groups, or none, then the content; nothing behind it
   */
  Block(String file, long offset, byte[] combined, int groups) {
    this.file = file;
    this.offset = offset;
    this.groups = groups;
    bytes = combined;
    start = HashGroups.BYTES * groups;
    firstEntry = start + HEADER_BYTES;
    restartCount = Frame.intAt(bytes, bytes.length - 4);
    entriesEnd = bytes.length - 4 - 4 * restartCount;
    baseEpoch = new ByteReader(file, bytes, start, 8).u64();
    if (groups == 0) {
      tableId = -1;
      firstHash = 0;
      groupsPerHash = 0;
      return;
    }
    // The first entry stands at a restart point, so its stem is whole.
    tableId =
        InternalKey.tableAt(bytes, new BlockEntry().read(bytes, firstEntry, entriesEnd, baseEpoch));
    firstHash = HashGroups.at(bytes, 0) >>> 32;
    long span = (HashGroups.at(bytes, groups - 1) >>> 32) - firstHash;
    groupsPerHash = span == 0 ? 0 : (groups - 1) / (double) span;
  }

  /**
   * Checks what is outside of the entries.
   *
   * @param file and {@code offset} in the section: names the block in errors
   */
  Block(String file, long offset, Frame.Content content) {
    this.file = file;
    this.offset = offset;
    groups = 0;
    tableId = -1;
    firstHash = 0;
    groupsPerHash = 0;
    bytes = content.bytes();
    start = content.offset();
    int length = content.length();
    if (length < HEADER_BYTES + 8) {
      throw corrupt("has " + length + " bytes of content");
    }
    restartCount = Frame.intAt(bytes, start + length - 4);
    if (restartCount < 1 || restartCount > (length - HEADER_BYTES - 4) / 4) {
      throw corrupt("claims " + restartCount + " restart points in " + length + " bytes");
    }
    firstEntry = start + HEADER_BYTES;
    entriesEnd = start + length - 4 - 4 * restartCount;
    baseEpoch = new ByteReader(file, bytes, start, 8).u64();
    checkRestarts();
  }

  private void checkRestarts() {
    int before = firstEntry - 1;
    for (int i = 0; i < restartCount; i++) {
      int at = restart(i);
      if (i == 0 && at != firstEntry || at <= before || at >= entriesEnd) {
        throw corrupt("restart point " + i + " is out of place");
      }
      before = at;
    }
  }

  /**
   * The same block as it is cached: an array of its own with nothing behind the content, and in
   * front of it, if the layout allows it, what makes point reads fast.
   */
  Block forCache() {
    boolean hashed = (bytes[firstEntry - 1] & 0xFF) == TableSpec.Layout.HASHED.ordinal();
    int length = entriesEnd + 4 * restartCount + 4 - start;
    if (!hashed && start == 0 && length == bytes.length) {
      return this;
    }
    try {
      long[] directory = hashed ? HashGroups.scan(this) : new long[0];
      byte[] combined = HashGroups.inFront(directory, directory.length, bytes, start, length);
      return new Block(file, offset, combined, directory.length);
    } catch (IndexOutOfBoundsException e) {
      throw beyond();
    }
  }

  /** Bytes of memory that it takes in the cache. */
  long weight() {
    return bytes.length + OBJECT_BYTES;
  }

  private int restart(int i) {
    return start + Frame.intAt(bytes, entriesEnd + 4 * i);
  }

  EngineException corrupt(String problem) {
    return new EngineException(
        ErrorCode.CORRUPTION, file + ", block at byte " + offset + ": " + problem);
  }

  EngineException beyond() {
    return corrupt("an entry is damaged or reaches beyond the block");
  }

  /** The last restart point whose key is not greater than (stem, epoch); else the first. */
  int restartFor(byte[] stem, int stemLength, long epoch) {
    int low = 1;
    int high = restartCount;
    while (low < high) {
      int middle = low + high >>> 1;
      if (restartNotAfter(restart(middle), stem, stemLength, epoch)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return restart(low - 1);
  }

  private boolean restartNotAfter(int at, byte[] stem, int stemLength, long epoch) {
    BlockEntry entry = new BlockEntry();
    int keyAt = entry.read(bytes, at, entriesEnd, baseEpoch);
    int order = Arrays.compareUnsigned(bytes, keyAt, keyAt + entry.unshared, stem, 0, stemLength);
    return order < 0 || order == 0 && Long.compareUnsigned(entry.epoch, epoch) >= 0;
  }
}
