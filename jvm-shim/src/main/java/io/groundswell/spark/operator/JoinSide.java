package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * The rows of one side of a join. Table, by the hash of the join key: length of the join key (4
 * bytes) | join key | stream key → row, then, where matches are counted, their number (4 bytes). So
 * the rows of a join key stand together, and the filter of a file tells whether it has any.
 */
final class JoinSide {
  private final StateTable table;
  private final UnsafeRow row;
  private final UnsafeRow streamKey;
  private final boolean counting;
  private final TimeBound time;
  private final ByteWriter scratch = new ByteWriter();
  private final ByteWriter entry = new ByteWriter();
  private RowCursor cursor;
  private int hash;
  private int prefix;
  private int matches;

  /**
   * A key of no columns is a row of one, see {@link Projections#key}.
   *
   * @param counting whether a row is followed by its number of matches
   * @param time of the join key, which keys then begin with; null: rows are for ever
   */
  JoinSide(Transaction tx, String name, int columns, int keyColumns, boolean counting,
      TimeBound time, OperatorCounters counters) {
    this.time = time;
    this.counting = counting;
    this.table = StateTable.hashed(tx, name, counters);
    if (time != null) {
      time.clean(table);
    }
    this.row = new UnsafeRow(columns);
    this.streamKey = new UnsafeRow(Math.max(1, keyColumns));
  }

  /** Starts to read the rows of a join key as they are now; later changes do not disturb it. */
  void open(int hash, UnsafeRow joinKey) {
    this.hash = hash;
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
      Slice value = cursor.value();
      if (counting) {
        value.length -= Integer.BYTES;
        matches = ByteBuffer.wrap(value.bytes).getInt(value.offset + value.length);
      }
      StateTable.point(row, value);
      return true;
    }
    close();
    return false;
  }

  /** Ends the reading before its end. */
  void close() {
    cursor.close();
  }

  /** How many matches the row read last has. */
  int matches() {
    return matches;
  }

  /** Says how many matches the row read last has from now on. */
  void setMatches(int count) {
    Slice key = cursor.key();
    put(key.bytes, key.offset, key.length, row, count);
  }

  /** The row read last; reused. */
  UnsafeRow row() {
    return row;
  }

  /**
   * Applies a barrier's changes under one join key.
   *
   * @param counts matches of the inserted rows, by position among the net changes; null: not kept
   */
  void apply(int hash, UnsafeRow joinKey, ChangeBuffer changes, int[] counts) {
    int at = 0;
    for (Map.Entry<UnsafeRow, ChangeBuffer.Change> entry : changes.changes().entrySet()) {
      UnsafeRow after = entry.getValue().after();
      if (entry.getValue().isNone()) {
        continue;
      }
      begin(joinKey);
      append(entry.getKey());
      if (after == null) {
        table.delete(hash, scratch.bytes, scratch.length);
      } else if (counts == null) {
        table.put(hash, scratch.bytes, scratch.length, after);
      } else {
        this.hash = hash;
        put(scratch.bytes, 0, scratch.length, after, counts[at]);
      }
      at++;
    }
  }

  /** Adds new rows under one join key; {@code keys} are their stream keys. */
  void insert(int hash, UnsafeRow joinKey, List<ChangeBuffer.Change> rows, RowKeys keys) {
    if (rows.isEmpty()) {
      return;
    }
    begin(joinKey);
    int length = scratch.length;
    for (ChangeBuffer.Change row : rows) {
      scratch.length = length;
      append(keys.of(row.after()));
      table.insert(hash, scratch.bytes, scratch.length, row.after());
    }
  }

  private void put(byte[] key, int keyOffset, int keyLength, UnsafeRow value, int count) {
    entry.clear();
    entry.putBytes(StateTable.bytes(value), StateTable.offset(value), value.getSizeInBytes());
    entry.putInt(count);
    table.put(hash, key, keyOffset, keyLength, entry.bytes, entry.length);
  }

  private void begin(UnsafeRow joinKey) {
    scratch.clear();
    if (time != null) {
      time.write(joinKey, scratch);
    }
    scratch.putInt(joinKey.getSizeInBytes());
    append(joinKey);
  }

  private void append(UnsafeRow key) {
    scratch.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }
}
