package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows that are never taken back, by key: those that a barrier adds under one key stand in one
 * entry, so that neither the mem-table nor files nor merges handle them one by one; what is counted
 * as read and written is rows. Table, by the hash of the key: length of the key (4 bytes) | key |
 * version that adds them (8) | piece (4) →
 * {@link RowList}; a piece has about {@link #PIECE} bytes.
 */
public final class BundleTable {
  public static final int PIECE = 16 << 10;

  private final StateTable table;
  private final BundleCount count;
  private final OperatorCounters counters;
  private final long version;
  private final UnsafeRow row;
  private final ByteWriter scratch = new ByteWriter();
  private RowCursor cursor;
  private byte[] bytes;
  private int at;
  private int end;
  private long added;

  public BundleTable(Transaction tx, String name, int columns, OperatorCounters counters) {
    this.table = StateTable.bundled(tx, name, counters);
    this.count = new BundleCount(tx, name, counters);
    this.counters = counters;
    this.version = tx.baseVersion() + 1;
    this.row = new UnsafeRow(columns);
  }

  /** Starts to read the rows of a key to which the barrier has added none so far. */
  public void open(int hash, UnsafeRow key) {
    begin(key);
    cursor = table.prefixBefore(hash, scratch.bytes, scratch.length);
    at = 0;
    end = 0;
  }

  /** Steps to the next row; at the end, closes. */
  public boolean next() {
    if (at == end) {
      if (!table.read(cursor)) {
        cursor.close();
        return false;
      }
      Slice value = cursor.value();
      bytes = value.bytes;
      at = value.offset;
      end = value.offset + value.length;
    } else {
      counters.stateReads++; // the first row of an entry is counted with it
    }
    at = RowList.read(bytes, at, row);
    return true;
  }

  /** The row read last; reused. */
  public UnsafeRow row() {
    return row;
  }

  /** Adds a barrier's rows of one key. */
  public void insert(int hash, UnsafeRow key, RowList rows) {
    int from = 0;
    int piece = 0;
    for (; from < rows.length(); piece++) {
      int to = rows.piece(from, PIECE);
      begin(key);
      scratch.putLong(version);
      scratch.putInt(piece);
      table.insert(hash, scratch.bytes, scratch.length, rows.bytes(), from, to - from);
      from = to;
    }
    counters.stateWrites += rows.count() - piece;
    added += rows.count();
  }

  /** To be called when all rows, or all of a pass, were added. */
  public void finish() {
    if (added > 0) {
      count.add(added);
      added = 0;
    }
  }

  private void begin(UnsafeRow key) {
    scratch.clear();
    scratch.putInt(key.getSizeInBytes());
    scratch.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }
}
