package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows that leave in the order of a time. Table {@code live}, ordered: time (8 bytes) | stream key
 * → row. What has left from the front is ended by the table's watermark, without a write.
 */
public final class TimeOrderedRows {
  private static final byte[] NOTHING = {};

  private final StateTable table;
  private final OperatorCounters counters;
  private final UnsafeRow row;
  private final UnsafeRow key;
  private final ByteWriter at = new ByteWriter();
  private RowCursor cursor;
  private byte[] last;
  private long time;

  /** A key of no columns is a row of one, see {@link Projections#key}. */
  public TimeOrderedRows(Transaction tx, int columns, int keyColumns, OperatorCounters counters) {
    this.table = StateTable.ordered(tx, "live", false, counters);
    this.counters = counters;
    this.row = new UnsafeRow(columns);
    this.key = new UnsafeRow(Math.max(1, keyColumns));
  }

  /** Keys alone, without rows. */
  public static TimeOrderedRows ofKeys(Transaction tx, int keyColumns, OperatorCounters counters) {
    return new TimeOrderedRows(tx, 0, keyColumns, counters);
  }

  /** Writes a number, so that bytes sort as it does, and a stream key. */
  public static void write(ByteWriter to, long number, UnsafeRow keyRow) {
    to.clear();
    to.putLong(number ^ Long.MIN_VALUE);
    to.putBytes(StateTable.bytes(keyRow), StateTable.offset(keyRow), keyRow.getSizeInBytes());
  }

  public boolean holds(int hash, long time, UnsafeRow keyRow) {
    write(at, time, keyRow);
    return table.get(hash, at.bytes, at.length) != null;
  }

  public void put(int hash, long time, UnsafeRow keyRow, UnsafeRow value) {
    write(at, time, keyRow);
    table.put(hash, at.bytes, at.length, value);
  }

  /** The put of a key alone. */
  public void put(int hash, long time, UnsafeRow keyRow) {
    write(at, time, keyRow);
    table.put(hash, at.bytes, at.length, NOTHING, 0);
  }

  public void delete(int hash, long time, UnsafeRow keyRow) {
    write(at, time, keyRow);
    table.delete(hash, at.bytes, at.length);
  }

  /** Takes the first row whose time is less than the bound; false if there is none. */
  public boolean take(long bound) {
    if (cursor == null) {
      cursor = table.scan();
    }
    if (!table.read(cursor)) {
      return false;
    }
    time = ByteBuffer.wrap(cursor.key().bytes).getLong(cursor.key().offset) ^ Long.MIN_VALUE;
    if (time >= bound) {
      return false;
    }
    last = cursor.key().copy();
    key.pointTo(last, Platform.BYTE_ARRAY_OFFSET + Long.BYTES, last.length - Long.BYTES);
    StateTable.point(row, cursor.value());
    return true;
  }

  /** The row taken last; reused. */
  public UnsafeRow row() {
    return row;
  }

  /** Its time. */
  public long time() {
    return time;
  }

  /** Its stream key; reused. */
  public UnsafeRow key() {
    return key;
  }

  /** Ends the rows taken, once they have all been given; false if there were none. */
  public boolean end() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
    if (last == null) {
      return false;
    }
    table.watermark(Arrays.copyOf(last, last.length + 1));
    counters.stateWrites++;
    last = null;
    return true;
  }
}
