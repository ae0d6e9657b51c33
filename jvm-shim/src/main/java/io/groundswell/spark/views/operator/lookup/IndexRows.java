package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.StateTable;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * The rows of an index. Table {@code rows}, by the hash of the first index column: length of the
 * index key (4 bytes) | index key | what else is in the stream key, if anything → the other
 * columns. So the rows of an index key stand together, and those of the keys with one first value
 * are the rows of one hash.
 */
final class IndexRows {
  /** The only table of an index. */
  static final String ROWS = "rows";

  private static final byte[] NOTHING = {0};

  private final IndexLayout layout;
  private final StateTable table;
  private final UnsafeProjection values;
  private final UnsafeRow indexKey;
  private final UnsafeRow streamKey;
  private final UnsafeRow alone;
  private final UnsafeRow rest;
  private final JoinedRow keys = new JoinedRow();
  private final JoinedRow row = new JoinedRow();
  private final ByteWriter scratch = new ByteWriter();
  private RowCursor cursor;
  private int prefix;

  /**
   * @param code for the writer; null: rows are only read
   */
  IndexRows(Transaction tx, IndexLayout layout, Projections code, OperatorCounters counters) {
    this.layout = layout;
    this.table = StateTable.hashed(tx, ROWS, counters);
    this.values = code == null || layout.restSize() == 0 ? null : layout.rest(code);
    this.indexKey = new UnsafeRow(layout.index().length);
    this.streamKey = new UnsafeRow(layout.streamKey().length);
    this.rest = new UnsafeRow(layout.restSize());
    this.alone = new UnsafeRow(1); // the key of no columns, see Projections
    alone.pointTo(new byte[16], 16);
    row.apply(keys.apply(indexKey, streamKey), rest);
  }

  /** Starts to read the rows of an index key as they are; later changes do not disturb it. */
  void open(int hash, UnsafeRow key) {
    begin(key);
    prefix = scratch.length;
    indexKey.pointTo(key.getBaseObject(), key.getBaseOffset(), key.getSizeInBytes());
    cursor = table.prefix(hash, scratch.bytes, scratch.length);
  }

  /** Steps to the next row that {@code changed} does not name; at the end, closes. */
  boolean next(ChangeBuffer changed) {
    while (table.read(cursor)) {
      Slice key = cursor.key();
      if (key.length > prefix) {
        streamKey.pointTo(
            key.bytes, Platform.BYTE_ARRAY_OFFSET + key.offset + prefix, key.length - prefix);
      }
      if (!changed.isEmpty()) {
        ChangeBuffer.Change change = changed.get(streamKey());
        if (change != null && !change.isNone()) {
          continue;
        }
      }
      if (layout.restSize() > 0) {
        StateTable.point(rest, cursor.value());
      }
      return true;
    }
    close();
    return false;
  }

  /** Ends the reading before its end. */
  void close() {
    cursor.close();
  }

  /** The row read last, as it is stored; reused. */
  InternalRow row() {
    return row;
  }

  /** What tells the row read last from others of its index key; reused. */
  UnsafeRow streamKey() {
    return layout.streamKey().length == 0 ? alone : streamKey;
  }

  /** Applies a barrier's changes under one index key. */
  void apply(int hash, UnsafeRow key, ChangeBuffer changes) {
    for (ChangeBuffer.Change change : changes.changes()) {
      UnsafeRow after = change.after();
      if (change.isNone()) {
        continue;
      }
      begin(key);
      if (layout.streamKey().length > 0) {
        append(change.key());
      }
      if (after == null) {
        table.delete(hash, scratch.bytes, scratch.length);
      } else if (values == null) {
        table.put(hash, scratch.bytes, scratch.length, NOTHING, NOTHING.length);
      } else {
        table.put(hash, scratch.bytes, scratch.length, values.apply(after));
      }
    }
  }

  private void begin(UnsafeRow key) {
    scratch.clear();
    scratch.putInt(key.getSizeInBytes());
    append(key);
  }

  private void append(UnsafeRow key) {
    scratch.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }

  /** Points to the parts of a row read elsewhere. */
  static InternalRow stored(IndexLayout layout, Slice key, Slice value) {
    int width = ByteBuffer.wrap(key.bytes, key.offset, key.length).getInt();
    long at = Platform.BYTE_ARRAY_OFFSET + (long) key.offset + Integer.BYTES;
    UnsafeRow indexKey = new UnsafeRow(layout.index().length);
    indexKey.pointTo(key.bytes, at, width);
    UnsafeRow streamKey = new UnsafeRow(layout.streamKey().length);
    if (layout.streamKey().length > 0) {
      streamKey.pointTo(key.bytes, at + width, key.length - width - Integer.BYTES);
    }
    UnsafeRow rest = new UnsafeRow(layout.restSize());
    if (layout.restSize() > 0) {
      StateTable.point(rest, value);
    }
    return new JoinedRow(new JoinedRow(indexKey, streamKey), rest);
  }
}
