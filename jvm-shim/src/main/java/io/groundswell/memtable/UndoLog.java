package io.groundswell.memtable;

import java.util.HashMap;
import java.util.Map;

/**
 * What rows were before they changed under open cursors. Time moves on when a cursor opens, so a
 * row that changes many times between two cursors is remembered once; with the last cursor all
 * goes.
 */
final class UndoLog {
  /** A row as all cursors opened at or before {@code time} and after the older image see it. */
  static final class Image {
    final int time;
    final int own;
    final byte[] value;
    final int offset;
    final int length;
    final Image older;

    Image(int time, int own, byte[] value, int offset, int length, Image older) {
      this.time = time;
      this.own = own;
      this.value = value;
      this.offset = offset;
      this.length = length;
      this.older = older;
    }
  }

  private final Map<Integer, Image> images = new HashMap<>();
  private int openCursors;
  private int time;
  private int rowLimit;

  /** Returns the time that the new cursor reads at; it knows the rows below the limit. */
  int open(int cursorRowLimit) {
    openCursors++;
    rowLimit = cursorRowLimit;
    return ++time;
  }

  void close() {
    if (--openCursors == 0) {
      images.clear();
    }
  }

  /** Must be called before any change to a row that a cursor may know. */
  void beforeChange(RowStore store, int row, int own) {
    if (openCursors == 0 || row >= rowLimit) {
      return;
    }
    Image newest = images.get(row);
    if (newest != null && newest.time == time) {
      return;
    }
    images.put(row,
        new Image(time, own, store.valueBytes(row), store.valueOffset(row), store.valueLength(row),
            newest));
  }

  /** The row as a cursor of that time sees it; null if it did not change since. */
  Image at(int row, int cursorTime) {
    if (images.isEmpty()) {
      return null;
    }
    Image seen = null;
    for (Image i = images.get(row); i != null && i.time >= cursorTime; i = i.older) {
      seen = i;
    }
    return seen;
  }

  long memoryBytes() {
    return 96L * images.size();
  }
}
