package io.groundswell.spark.views.operator.view;

import com.google.common.collect.Iterators;
import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.PartitionMove;
import io.groundswell.spark.views.operator.state.BundleCount;
import io.groundswell.spark.views.operator.state.BundleMove;
import io.groundswell.spark.views.operator.state.BundleTable;
import io.groundswell.spark.views.operator.state.RowList;
import io.groundswell.spark.views.operator.state.StateTable;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The rows of an append-only view that nobody asks for by key, many in one entry. Table {@code
 * bundles}, ordered: version that adds them (8 bytes) | piece (4) → {@link RowList} of stream key
 * and user's columns in turn; a piece has about {@link BundleTable#PIECE} bytes.
 */
final class BundledView implements ViewStore {
  static final String BUNDLES = "bundles";

  private final StateTable table;
  private final BundleCount count;
  private final OperatorCounters counters;
  private final ByteWriter key = new ByteWriter();
  private final long version;
  private final RowList rows = new RowList();
  private long added;
  private int pieces;

  BundledView(Transaction tx, OperatorCounters counters) {
    this.table = StateTable.ordered(tx, BUNDLES, false, counters);
    this.count = new BundleCount(tx, BUNDLES, counters);
    this.counters = counters;
    this.version = tx.baseVersion() + 1;
  }

  @Override
  public boolean insert(UnsafeRow streamKey, UnsafeRow row) {
    rows.add(streamKey);
    rows.add(row);
    added++;
    if (rows.length() >= BundleTable.PIECE) {
      write();
    }
    return true;
  }

  @Override
  public boolean replace(UnsafeRow streamKey, UnsafeRow row) {
    throw new UnsupportedOperationException("nothing of an append-only view is changed");
  }

  @Override
  public boolean remove(UnsafeRow streamKey) {
    throw new UnsupportedOperationException("nothing of an append-only view is removed");
  }

  @Override
  public void finish() {
    if (rows.count() > 0) {
      write();
    }
    if (added > 0) {
      count.add(added);
      counters.stateWrites += added - pieces;
    }
  }

  private void write() {
    key.clear();
    key.putLong(version);
    key.putInt(pieces++);
    table.insert(0, key.bytes, key.length, rows.bytes(), 0, rows.length());
    rows.clear();
  }

  /**
   * Bundles may stand anywhere, but under a number of their own among those of one version: it is
   * given again.
   */
  static void move(PartitionMove move, String table) {
    TableSpec spec = move.create(table);
    Map<Long, Integer> numbers = new HashMap<>();
    ByteWriter key = new ByteWriter();
    long[] seen = new long[move.before()];
    long[] found = new long[1];
    move.each(table, any -> true, (partition, row) -> {
      if (!move.takes(partition, seen[partition]++)) {
        return;
      }
      long version = ByteBuffer.wrap(row.key().bytes).getLong(row.key().offset);
      key.clear();
      key.putLong(version);
      key.putInt(numbers.merge(version, 1, Integer::sum) - 1);
      found[0] += RowList.count(row.value());
      move.write(spec, 0, key.bytes, 0, key.length, row.value());
    });
    BundleMove.count(move, table, found[0] / 2);
  }

  /** The user's columns of all rows in this partition; reused by the next step. */
  static Iterator<InternalRow> rows(Snapshot snapshot, int fields) {
    TableSpec table = snapshot.table(BUNDLES);
    return table == null ? Collections.emptyIterator()
                         : new Rows(snapshot.scan(table), 1, fields, false);
  }

  /** The same behind the stream key's columns. */
  static Iterator<InternalRow> keyed(Snapshot snapshot, int keyFields, int fields, TablePart part) {
    return Iterators.concat(Iterators.transform(part.cursors(snapshot, snapshot.table(BUNDLES)),
        cursor -> new Rows(cursor, keyFields, fields, true)));
  }

  private static final class Rows implements Iterator<InternalRow> {
    private final RowCursor cursor;
    private final UnsafeRow key;
    private final UnsafeRow row;
    private final InternalRow given;
    private byte[] bytes;
    private int at;
    private int end;
    private boolean ended;

    Rows(RowCursor cursor, int keyFields, int fields, boolean keyed) {
      this.cursor = cursor;
      this.key = new UnsafeRow(Math.max(1, keyFields));
      this.row = new UnsafeRow(fields);
      this.given = keyed ? new JoinedRow(key, row) : row;
    }

    @Override
    public boolean hasNext() {
      while (at == end && !ended) {
        if (cursor.next()) {
          Slice value = cursor.value();
          bytes = value.bytes;
          at = value.offset;
          end = value.offset + value.length;
        } else {
          cursor.close();
          ended = true;
        }
      }
      return !ended;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      at = RowList.read(bytes, at, key);
      at = RowList.read(bytes, at, row);
      return given;
    }
  }
}
