package io.groundswell.spark;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.encoding.KeyCodec;
import io.groundswell.spark.encoding.ValueList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The lists of families with many values a key. A short list is one value, the head, under the key
 * itself. What no longer fits follows in segments, in a table of their own, under (key, number from
 * 1 on). So an append rewrites one segment and not the list.
 */
final class ListValues {
  /** A segment that has reached this is not appended to. */
  static final int SEGMENT_BYTES = 1024;

  private static final String TABLE_PREFIX = "$segments_";

  private final Transaction transaction;
  private final ValueList list = new ValueList();
  private final ValueList headList = new ValueList();
  private final Slice head = new Slice();
  private final Slice found = new Slice();
  private byte[] segmentKey = new byte[64];

  ListValues(Transaction transaction) {
    this.transaction = transaction;
  }

  static String tableOf(String family) {
    return TABLE_PREFIX + family;
  }

  /** Whether a table holds segments, which are no keys of anybody. */
  static boolean holdsSegments(TableSpec table) {
    return table.name().startsWith(TABLE_PREFIX) && !table.counted();
  }

  /** All methods work on the key that {@code family.keys} has encoded. */
  void append(Family family, UnsafeRow[] values) {
    KeyCodec keys = family.keys;
    boolean present =
        transaction.get(family.table, keys.hash, keys.bytes, keys.offset, keys.length, head);
    int before = present ? ValueList.segments(head) : 0;
    list.clear();
    if (before > 0) {
      segment(family, keys.bytes, keys.offset, keys.length, before, found);
      list.load(found);
    } else if (present) {
      list.load(head);
    }
    int last = fill(family, before, values);
    if (last == 0) {
      putHead(family, list);
    } else if (last > before) {
      if (before > 0) {
        headList.loadHead(head, last);
      }
      putHead(family, headList);
    }
  }

  void replace(Family family, UnsafeRow[] values) {
    KeyCodec keys = family.keys;
    int before = 0;
    if (family.segments != null
        && transaction.get(family.table, keys.hash, keys.bytes, keys.offset, keys.length, head)) {
      before = ValueList.segments(head);
    }
    list.clear();
    int last = fill(family, 0, values);
    putHead(family, last == 0 ? list : headList);
    removeSegments(family, keys.hash, keys.bytes, keys.offset, keys.length, last + 1, before);
  }

  /**
   * Adds the values to the list, which is the segment of that number (0: the head), and writes
   * segments as they fill up; returns the number of the last. Leaves a head that is followed by
   * segments in {@code headList}, and one that is not in {@code list}.
   */
  private int fill(Family family, int first, UnsafeRow[] values) {
    int number = first;
    for (UnsafeRow value : values) {
      if (list.length >= SEGMENT_BYTES) {
        flush(family, number);
        number++;
        list.clear();
      }
      list.add(value, family.rows.schemaId());
    }
    if (number > 0) {
      flush(family, number);
    }
    if (first == 0 && number > 0) {
      found.set(headList.copy(), 0, headList.length);
      headList.loadHead(found, number);
    }
    return number;
  }

  private void flush(Family family, int number) {
    if (number == 0) {
      found.set(list.bytes, 0, list.length);
      headList.load(found);
      return;
    }
    if (family.segments == null) {
      family.segments =
          transaction.createTable(tableOf(family.spec.name()), family.keys.layout(), false);
    }
    KeyCodec keys = family.keys;
    int length = segmentKey(keys.bytes, keys.offset, keys.length, number);
    transaction.put(family.segments, keys.hash, segmentKey, 0, length, list.bytes, 0, list.length);
  }

  private void putHead(Family family, ValueList value) {
    KeyCodec keys = family.keys;
    transaction.put(family.table, keys.hash, keys.bytes, keys.offset, keys.length, value.bytes, 0,
        value.length);
  }

  /** The values, in bytes that stay as they are; null if the key is absent. */
  Iterator<UnsafeRow> values(Family family) {
    KeyCodec keys = family.keys;
    if (!transaction.get(family.table, keys.hash, keys.bytes, keys.offset, keys.length, head)) {
      return null;
    }
    Iterator<UnsafeRow> first = new ValueList.Rows(head, family.rows);
    int segments = ValueList.segments(head);
    if (segments == 0) {
      return first;
    }
    List<Slice> slices = new ArrayList<>(segments);
    for (int number = 1; number <= segments; number++) {
      Slice slice = new Slice();
      segment(family, keys.bytes, keys.offset, keys.length, number, slice);
      slices.add(slice);
    }
    return new SegmentRows(first, slices.iterator(), family.rows);
  }

  /** Removes the key with all its values. */
  void remove(Family family, int hash, byte[] key, int offset, int length) {
    if (family.segments != null && transaction.get(family.table, hash, key, offset, length, head)) {
      removeSegments(family, hash, key, offset, length, 1, ValueList.segments(head));
    }
    transaction.delete(family.table, hash, key, offset, length);
  }

  private void removeSegments(
      Family family, int hash, byte[] key, int offset, int length, int from, int to) {
    for (int number = from; number <= to; number++) {
      int size = segmentKey(key, offset, length, number);
      transaction.delete(family.segments, hash, segmentKey, 0, size);
    }
  }

  private void segment(Family family, byte[] key, int offset, int length, int number, Slice out) {
    int size = segmentKey(key, offset, length, number);
    if (!transaction.get(family.segments, family.keys.hash, segmentKey, 0, size, out)) {
      throw new IllegalStateException("segment " + number + " of a list of " + family.spec.name()
          + " is missing; please report this");
    }
  }

  private int segmentKey(byte[] key, int offset, int length, int number) {
    int size = length + Integer.BYTES;
    if (segmentKey.length < size) {
      segmentKey = Arrays.copyOf(segmentKey, 2 * size);
    }
    System.arraycopy(key, offset, segmentKey, 0, length);
    for (int i = 0; i < Integer.BYTES; i++) {
      segmentKey[length + i] = (byte) (number >>> 8 * (3 - i));
    }
    return size;
  }
}
