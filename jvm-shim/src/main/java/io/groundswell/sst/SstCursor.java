package io.groundswell.sst;

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

  SstCursor(SstReader reader, boolean fillCache) {
    this.reader = reader;
    this.blocks = new ReadAhead(reader, fillCache);
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
      nextEntry = block.restartFor(target, stem, epoch);
    } catch (IndexOutOfBoundsException e) {
      throw block.corrupt("an entry reaches beyond the block");
    }
    do {
      step();
    } while (valid && InternalKey.compare(key, keyLength, target, targetLength) < 0);
  }

  @Override
  public void next() {
    step();
  }

  private SstIndex tailIndex() {
    if (index == null) {
      index = reader.tail().index;
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
      throw block.corrupt("an entry reaches beyond the block");
    }
  }

  private void decode() {
    BlockEntry head = entry;
    int keyAt = head.read(block, nextEntry);
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
