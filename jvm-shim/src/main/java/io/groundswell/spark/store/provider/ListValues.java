package io.groundswell.spark.store.provider;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.store.encoding.KeyCodec;
import io.groundswell.spark.store.encoding.ValueList;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Writes lists. Methods work on the key that {@code family.keys} has encoded. */
final class ListValues extends ListReads {
  /** A segment that has reached this is not appended to. */
  static final int SEGMENT_BYTES = 1024;

  private final Transaction transaction;
  private final ValueList list = new ValueList();
  private final ValueList headList = new ValueList();
  private final Slice found = new Slice();

  ListValues(Transaction transaction) {
    super(transaction);
    this.transaction = transaction;
  }

  void append(Family family, UnsafeRow[] values) {
    KeyCodec keys = family.keys;
    boolean present =
        transaction.get(family.table, keys.hash, keys.bytes, keys.offset, keys.length, head);
    int before = present ? ValueList.segments(head) : 0;
    list.clear();
    if (before > 0) {
      int size = segmentKey(keys.bytes, keys.offset, keys.length, before);
      segment(family, keys.hash, size, found);
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

  Iterator<UnsafeRow> values(Family family) {
    KeyCodec keys = family.keys;
    return values(family, keys.hash, keys.bytes, keys.offset, keys.length);
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
}
