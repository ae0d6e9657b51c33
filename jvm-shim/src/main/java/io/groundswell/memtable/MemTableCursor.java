package io.groundswell.memtable;

import io.groundswell.iter.EntryCursor;
import java.util.Arrays;

/**
 * One table's writes as they were when this cursor was made. Row numbers only grow and the undo log
 * keeps what changed, so nothing is copied up front; after an insert the cursor finds its place
 * again by the key it stands on.
 */
public final class MemTableCursor extends EntryCursor implements AutoCloseable {
  /** Rows in key order lie anywhere: so many are fetched from memory at a time, side by side. */
  private static final int AHEAD = 16;

  private final MemTable table;
  private final RowStore store;
  private final TableRows rows;
  private final SortedRows sorted;
  private final int rowLimit;
  private final int time;
  private final long invertedEpoch;
  private int changes;
  private int chunk;
  private int index;
  private boolean open = true;

  /** Whether rows to come are touched; and the sum of what was, so that nobody leaves it out. */
  private final boolean readsAhead;

  private int touched;

  MemTableCursor(MemTable table, TableRows rows, boolean readsAhead) {
    this.readsAhead = readsAhead;
    this.table = table;
    this.rows = rows;
    store = table.store();
    sorted = rows.sorted();
    rowLimit = store.size();
    time = table.undo().open(rowLimit);
    invertedEpoch = ~table.epoch();
  }

  @Override
  public void seekToFirst() {
    changes = rows.sorted().changes();
    chunk = 0;
    index = 0;
    settle();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    int stemLength = targetLength - Long.BYTES;
    rows.sorted().seek(target, stemLength);
    changes = sorted.changes();
    chunk = sorted.foundChunk();
    index = sorted.foundIndex();
    settle();
    if (valid && keyLength == targetLength
        && Arrays.compareUnsigned(key, 0, keyLength, target, 0, targetLength) < 0) {
      next(); // the same row, but the target is an older epoch than ours
    }
  }

  @Override
  public void next() {
    if (changes != sorted.changes()) {
      sorted.seek(key, keyLength - Long.BYTES);
      changes = sorted.changes();
      chunk = sorted.foundChunk();
      index = sorted.foundIndex();
    }
    index++;
    settle();
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      valid = false;
      table.undo().close();
    }
  }

  /** Moves on to the first row from here that this cursor may see. */
  private void settle() {
    while (true) {
      int row = sorted.rowAt(chunk, index);
      if (row < 0) {
        if (chunk + 1 < sorted.chunkCount()) {
          chunk++;
          index = 0;
          continue;
        }
        valid = false;
        return;
      }
      if (readsAhead && index % AHEAD == 0) {
        touched += sorted.touch(chunk, index, index + AHEAD);
      }
      if (row < rowLimit && show(row)) {
        valid = true;
        return;
      }
      index++;
    }
  }

  private boolean show(int row) {
    UndoLog.Image before = table.undo().at(row, time);
    int own = before == null ? table.own(row) : before.own;
    if (own == MemTable.NOTHING) {
      return false;
    }
    int length = store.keyLength(row);
    keyLength = length + Long.BYTES;
    if (key.length < keyLength) {
      key = new byte[Math.max(keyLength, key.length * 2)];
    }
    System.arraycopy(store.keyBytes(row), store.keyOffset(row), key, 0, length);
    for (int i = 0; i < Long.BYTES; i++) {
      key[length + i] = (byte) (invertedEpoch >>> (56 - 8 * i));
    }
    delete = own == MemTable.DELETE;
    value = before == null ? store.valueBytes(row) : before.value;
    valueOffset = before == null ? store.valueOffset(row) : before.offset;
    valueLength = before == null ? store.valueLength(row) : before.length;
    return true;
  }
}
