package io.groundswell.spark.views.operator.view;

import com.google.common.collect.Iterators;
import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.PartitionMove;
import io.groundswell.spark.views.operator.state.StateTable;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The tables of a materialised view, and how they are read back.
 *
 * <p>{@code rows}: stream key → the user's columns; of an append-only view that nobody asks for by
 * key {@code bundles} instead, see {@link BundledView}. {@code changelog}, ordered: number in the
 * epoch (4 bytes, big-endian) → the user's columns, then epoch (8 bytes), then {@link ChangeType}
 * (1). An epoch that has something to say takes the place of the one before, so entries of an older
 * epoch may stand there: readers name the epoch.
 */
public final class ViewTables {
  public static final String ROWS = "rows";
  static final String CHANGELOG = "changelog";
  private static final int TRAILER = Long.BYTES + 1;

  private ViewTables() {}

  /** One change of a view: what it says and the row, which is reused by the next step. */
  public record ViewChange(ChangeType type, InternalRow row) {}

  /** The view's rows in this partition; each is reused by the next step. */
  public static Iterator<InternalRow> rows(Snapshot snapshot, int fields) {
    TableSpec table = snapshot.table(ROWS);
    Iterator<InternalRow> rows =
        new ViewIterator<>(table == null ? null : snapshot.scan(table), fields) {
          @Override
          protected InternalRow decode(RowCursor at, UnsafeRow row) {
            StateTable.point(row, at.value());
            return row;
          }
        };
    return Iterators.concat(rows, BundledView.rows(snapshot, fields));
  }

  /** Key and value of each row in a part of this partition, joined; reused by the next step. */
  public static Iterator<InternalRow> keyed(
      Snapshot snapshot, String table, int keyFields, int fields, TablePart part) {
    Iterator<Iterator<InternalRow>> rows = Iterators.transform(
        part.cursors(snapshot, snapshot.table(table)), cursor -> keyed(cursor, keyFields, fields));
    return Iterators.concat(
        Iterators.concat(rows), BundledView.keyed(snapshot, keyFields, fields, part));
  }

  private static Iterator<InternalRow> keyed(RowCursor cursor, int keyFields, int fields) {
    UnsafeRow key = new UnsafeRow(Math.max(1, keyFields));
    JoinedRow joined = new JoinedRow();
    return new ViewIterator<InternalRow>(cursor, fields) {
      @Override
      protected InternalRow decode(RowCursor at, UnsafeRow row) {
        StateTable.point(key, at.key());
        StateTable.point(row, at.value());
        return joined.apply(key, row);
      }
    };
  }

  /** What {@code epoch} changed in this partition of the view, in order, pairs adjacent. */
  public static Iterator<ViewChange> changelog(Snapshot snapshot, long epoch, int fields) {
    TableSpec table = snapshot.table(CHANGELOG);
    return new ViewIterator<>(table == null ? null : snapshot.scan(table), fields) {
      @Override
      protected ViewChange decode(RowCursor at, UnsafeRow row) {
        Slice value = at.value();
        ByteBuffer trailer =
            ByteBuffer.wrap(value.bytes, value.offset + value.length - TRAILER, TRAILER);
        if (trailer.getLong() != epoch) {
          return null;
        }
        value.length -= TRAILER;
        StateTable.point(row, value);
        return new ViewChange(ChangeType.values()[trailer.get()], row);
      }
    };
  }

  /** What the newest epoch changed, in order; pairs stay adjacent. */
  static void moveChangelog(PartitionMove move, String table) {
    TableSpec spec = move.create(table);
    ByteBuffer key = ByteBuffer.allocate(Integer.BYTES);
    int[] count = new int[1];
    move.each(table, move::takesAllOf, (partition, row) -> {
      key.putInt(0, count[0]++);
      move.write(spec, 0, key.array(), 0, Integer.BYTES, row.value());
    });
  }

  /** Writes one epoch's changelog over that of the epoch before. */
  static final class ChangelogWriter {
    private final StateTable table;
    private final ByteBuffer key = ByteBuffer.allocate(Integer.BYTES);
    private final ByteBuffer trailer = ByteBuffer.allocate(TRAILER);
    private final ByteWriter value = new ByteWriter();
    private int count;

    ChangelogWriter(Transaction tx, long epoch, OperatorCounters counters) {
      this.table = StateTable.ordered(tx, CHANGELOG, false, counters);
      trailer.putLong(0, epoch);
    }

    /** A deleted row, an inserted one, or, if both, an update. */
    void add(UnsafeRow before, UnsafeRow after) {
      if (before != null) {
        append(after == null ? ChangeType.DELETE : ChangeType.UPDATE_PREIMAGE, before);
      }
      if (after != null) {
        append(before == null ? ChangeType.INSERT : ChangeType.UPDATE_POSTIMAGE, after);
      }
    }

    private void append(ChangeType type, UnsafeRow row) {
      trailer.put(Long.BYTES, (byte) type.ordinal());
      value.clear();
      value.putBytes(StateTable.bytes(row), StateTable.offset(row), row.getSizeInBytes());
      value.putBytes(trailer.array(), 0, TRAILER);
      key.putInt(0, count++);
      table.put(0, key.array(), Integer.BYTES, value.bytes, value.length);
    }

    /** Removes what is left of the epoch before, if this one has said anything. */
    void finish() {
      if (count == 0) {
        return;
      }
      key.putInt(0, count);
      while (table.get(0, key.array(), Integer.BYTES) != null) {
        table.delete(0, key.array(), Integer.BYTES);
        key.putInt(0, ++count);
      }
    }
  }

  /** Decodes a cursor's values as rows, and closes it at the end. */
  private abstract static class ViewIterator<T> implements Iterator<T> {
    private final UnsafeRow row;
    private RowCursor cursor;
    private T ready;

    ViewIterator(RowCursor cursor, int fields) {
      this.cursor = cursor;
      this.row = new UnsafeRow(fields);
    }

    /** What a row says; null to pass over it. */
    protected abstract T decode(RowCursor at, UnsafeRow current);

    @Override
    public boolean hasNext() {
      while (cursor != null && ready == null) {
        if (cursor.next()) {
          ready = decode(cursor, row);
        } else {
          cursor.close();
          cursor = null;
        }
      }
      return ready != null;
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      T current = ready;
      ready = null;
      return current;
    }
  }
}
