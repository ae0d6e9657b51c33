package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * The rows of one side of a join. Table, by the hash of the join key: length of the join key (4
 * bytes) | join key | stream key → row. So the rows of a join key stand together, and the filter of
 * a file tells whether it has any.
 */
final class JoinSide {
  private final StateTable table;
  private final UnsafeRow row;
  private final UnsafeRow streamKey;
  private final ByteWriter scratch = new ByteWriter();
  private RowCursor cursor;
  private int prefix;

  /** A key of no columns is a row of one, see {@link Projections#key}. */
  JoinSide(Transaction tx, String name, int columns, int keyColumns, OperatorCounters counters) {
    this.table = StateTable.hashed(tx, name, counters);
    this.row = new UnsafeRow(columns);
    this.streamKey = new UnsafeRow(Math.max(1, keyColumns));
  }

  /** Starts to read the rows of a join key as they are now; later changes do not disturb it. */
  void open(int hash, UnsafeRow joinKey) {
    begin(joinKey);
    prefix = scratch.length;
    cursor = table.prefix(hash, scratch.bytes, scratch.length);
  }

  /** Steps to the next row that {@code changed} does not name; at the end, closes. */
  boolean next(ChangeBuffer changed) {
    while (table.read(cursor)) {
      if (!changed.isEmpty()) {
        Slice key = cursor.key();
        streamKey.pointTo(
            key.bytes, Platform.BYTE_ARRAY_OFFSET + key.offset + prefix, key.length - prefix);
        ChangeBuffer.Change change = changed.get(streamKey);
        if (change != null && !change.isNone()) {
          continue;
        }
      }
      StateTable.point(row, cursor.value());
      return true;
    }
    cursor.close();
    return false;
  }

  /** The row read last; reused. */
  UnsafeRow row() {
    return row;
  }

  /** Applies a barrier's changes under one join key. */
  void apply(int hash, UnsafeRow joinKey, ChangeBuffer changes) {
    changes.changes().forEach((key, change) -> {
      if (change.isNone()) {
        return;
      }
      begin(joinKey);
      append(key);
      if (change.after() == null) {
        table.delete(hash, scratch.bytes, scratch.length);
      } else {
        table.put(hash, scratch.bytes, scratch.length, change.after());
      }
    });
  }

  private void begin(UnsafeRow joinKey) {
    scratch.clear();
    scratch.putInt(joinKey.getSizeInBytes());
    append(joinKey);
  }

  private void append(UnsafeRow key) {
    scratch.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }
}
