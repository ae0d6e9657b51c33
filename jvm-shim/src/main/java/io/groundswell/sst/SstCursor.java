package io.groundswell.sst;

import io.groundswell.cache.CacheCounters;
import io.groundswell.iter.EntryCursor;
import io.groundswell.key.InternalKey;
import java.util.Arrays;

/** All entries of one SST, in order. Not thread-safe. */
public final class SstCursor extends EntryCursor {
  private final SstReader reader;
  private final ReadAhead blocks;
  private final BlockEntry entry = new BlockEntry();

  private SstIndex index;
  private Block block;
  private int blockNumber;
  private int stemLength;
  private int nextEntry;

  SstCursor(SstReader reader, boolean fillCache, CacheCounters counters) {
    this.reader = reader;
    this.blocks = new ReadAhead(reader, fillCache, counters);
  }

  @Override
  public void seekToFirst() {
    enter(0);
    nextEntry = block.firstEntry;
    step();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    int stem = targetLength - InternalKey.EPOCH_BYTES;
    long epoch = InternalKey.epochOf(target, targetLength);
    enter(tailIndex().find(target, stem, epoch));
    try {
      if (block.groups == 0 || stem < HashGroups.PREFIX_BYTES || !startAtGroup(target)) {
        nextEntry = block.restartFor(target, stem, epoch);
      }
    } catch (IndexOutOfBoundsException e) {
      throw block.beyond();
    }
    do {
      step();
    } while (valid && InternalKey.compare(key, keyLength, target, targetLength) < 0);
  }

  /**
   * Goes to the first entry whose hash is not smaller than the target's, its first bytes put in
   * place; false if that may be far before the target.
   */
  private boolean startAtGroup(byte[] target) {
    if (InternalKey.tableOf(target) != block.tableId) {
      return false;
    }
    int hash = Frame.intAt(target, InternalKey.TABLE_BYTES);
    int group =
        HashGroups.find(block.bytes, block.groups, block.firstHash, block.groupsPerHash, hash);
    if (group == block.groups) {
      nextEntry = block.entriesEnd;
      return true;
    }
    int at = HashGroups.position(block.bytes, group);
    int end =
        group + 1 < block.groups ? HashGroups.position(block.bytes, group + 1) : block.entriesEnd;
    if (end - at > PointSearch.LONG_GROUP && HashGroups.hash(block.bytes, group) == hash) {
      return false;
    }
    nextEntry = at;
    HashGroups.putPrefix(block, group, key);
    stemLength = HashGroups.PREFIX_BYTES;
    return true;
  }

  @Override
  public void next() {
    step();
  }

  private SstIndex tailIndex() {
    if (index == null) {
      index = reader.tail().index(reader);
    }
    return index;
  }

  private void enter(int number) {
    if (block == null || blockNumber != number) {
      block = blocks.block(tailIndex(), number);
      blockNumber = number;
    }
    stemLength = 0;
    valid = true;
  }

  private void step() {
    if (nextEntry >= block.entriesEnd) {
      if (blockNumber + 1 >= index.size()) {
        valid = false;
        return;
      }
      enter(blockNumber + 1);
      nextEntry = block.firstEntry;
    }
    try {
      decode();
    } catch (IndexOutOfBoundsException e) {
      throw block.beyond();
    }
  }

  private void decode() {
    BlockEntry head = entry;
    int keyAt = head.read(block.bytes, nextEntry, block.entriesEnd, block.baseEpoch);
    int shared = head.shared;
    int unshared = head.unshared;
    int stem = shared + unshared;
    if (shared > stemLength || stem > InternalKey.MAX_LENGTH) {
      throw block.corrupt("an entry shares more than there is");
    }
    if (key.length < stem + InternalKey.EPOCH_BYTES) {
      key = Arrays.copyOf(key, Math.max(2 * key.length, stem + InternalKey.EPOCH_BYTES));
    }
    byte[] bytes = block.bytes;
    System.arraycopy(bytes, keyAt, key, shared, unshared);
    InternalKey.putEpoch(key, stem, head.epoch);
    stemLength = stem;
    keyLength = stem + InternalKey.EPOCH_BYTES;
    value = bytes;
    valueOffset = keyAt + unshared;
    valueLength = head.valueLength;
    delete = head.delete;
    nextEntry = valueOffset + valueLength;
  }
}
