package io.groundswell.spark.views.operator.rank;

import io.groundswell.engine.Slice;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * The first rows of an ordered partition, at most {@code limit}. As bytes: for each row its length
 * (4 bytes) and the row, in order.
 */
final class FirstRows {
  private final int limit;
  private byte[][] keys = new byte[2][];
  private UnsafeRow[] rows = new UnsafeRow[2];
  private boolean[] added = new boolean[2];
  private int size;

  FirstRows(int limit) {
    this.limit = limit;
  }

  int size() {
    return size;
  }

  UnsafeRow row(int at) {
    return rows[at];
  }

  /** Whether the row there was not among the first before. */
  boolean isNew(int at) {
    return added[at];
  }

  /** Where that very row object stands, or -1. */
  int find(UnsafeRow row) {
    for (int i = 0; i < size; i++) {
      if (rows[i] == row) {
        return i;
      }
    }
    return -1;
  }

  /** True if no row whose order key begins so is among the first. */
  boolean isBehind(ByteWriter start) {
    if (size < limit) {
      return false;
    }
    byte[] last = keys[size - 1];
    return Arrays.compareUnsigned(
               start.bytes, 0, start.length, last, 0, Math.min(start.length, last.length))
        > 0;
  }

  /** Where a row of that order key belongs; the limit or more: nowhere. */
  int place(ByteWriter key) {
    return place(key.bytes, key.length);
  }

  private int place(byte[] key, int length) {
    int low = 0;
    int high = size;
    if (size == limit && compare(key, length, keys[size - 1]) >= 0) {
      return limit;
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(key, length, keys[middle]) < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private static int compare(byte[] key, int length, byte[] other) {
    return Arrays.compareUnsigned(key, 0, length, other, 0, other.length);
  }

  /** Puts a row at its {@link #place}; the last one goes if there are too many. */
  void insert(int place, ByteWriter key, UnsafeRow row, boolean isNew) {
    insert(place, key.copy(0), row, isNew);
  }

  private void insert(int place, byte[] key, UnsafeRow row, boolean isNew) {
    if (size < limit) {
      if (size == rows.length) {
        int room = Math.min(limit, 2 * size);
        keys = Arrays.copyOf(keys, room);
        rows = Arrays.copyOf(rows, room);
        added = Arrays.copyOf(added, room);
      }
      size++;
    }
    int moved = size - 1 - place;
    System.arraycopy(keys, place, keys, place + 1, moved);
    System.arraycopy(rows, place, rows, place + 1, moved);
    System.arraycopy(added, place, added, place + 1, moved);
    keys[place] = key;
    rows[place] = row;
    added[place] = isNew;
  }

  /** These and more rows; null if none of them is among the first. */
  FirstRows mergedWith(FirstRows more) {
    if (place(more.keys[0], more.keys[0].length) >= limit) {
      return null;
    }
    FirstRows merged = new FirstRows(limit);
    merged.size = size;
    merged.keys = Arrays.copyOf(keys, keys.length);
    merged.rows = Arrays.copyOf(rows, rows.length);
    merged.added = new boolean[rows.length];
    for (int i = 0; i < more.size; i++) {
      int place = merged.place(more.keys[i], more.keys[i].length);
      if (place >= limit) {
        break;
      }
      merged.insert(place, more.keys[i], more.rows[i], true);
    }
    return merged;
  }

  /** Takes what {@link #write} wrote; rows point into it. */
  void read(Slice from, int columns, OrderEncoding encoding) {
    ByteReader in = new ByteReader();
    in.set(from.bytes, from.offset);
    ByteWriter key = new ByteWriter();
    while (in.position() < from.offset + from.length) {
      int length = in.getInt();
      UnsafeRow row = new UnsafeRow(columns);
      row.pointTo(from.bytes, Platform.BYTE_ARRAY_OFFSET + in.position(), length);
      in.skip(length);
      key.clear();
      encoding.write(row, key);
      insert(size, key, row, false);
    }
  }

  void write(ByteWriter out) {
    for (int i = 0; i < size; i++) {
      out.putInt(rows[i].getSizeInBytes());
      out.putBytes(StateTable.bytes(rows[i]), StateTable.offset(rows[i]), rows[i].getSizeInBytes());
    }
  }
}
