package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The tables of a materialised view, and how they are read back.
 *
 * <p>{@code rows}: stream key → the user's columns. {@code changelog}, ordered: epoch (8 bytes,
 * big-endian), number in the epoch (4), {@link ChangeType} (1) → the user's columns. It is emptied
 * when an epoch has something to say, so entries of an older epoch may still stand there: readers
 * name the epoch.
 */
public final class ViewTables {
  static final String ROWS = "rows";
  static final String CHANGELOG = "changelog";
  private static final int KEY = Long.BYTES + Integer.BYTES + 1;

  private ViewTables() {}

  /** One change of a view: what it says and the row, which is reused by the next step. */
  public record ViewChange(ChangeType type, InternalRow row) {}

  /** The view's rows in this partition; each is reused by the next step. */
  public static Iterator<InternalRow> rows(Snapshot snapshot, int fields) {
    TableSpec table = snapshot.table(ROWS);
    return new ViewIterator<>(table == null ? null : snapshot.scan(table), fields) {
      @Override
      protected InternalRow decode(RowCursor cursor, UnsafeRow row) {
        return row;
      }
    };
  }

  /** What {@code epoch} changed in this partition of the view, in order, pairs adjacent. */
  public static Iterator<ViewChange> changelog(Snapshot snapshot, long epoch, int fields) {
    TableSpec table = snapshot.table(CHANGELOG);
    byte[] prefix = ByteBuffer.allocate(Long.BYTES).putLong(epoch).array();
    RowCursor found =
        table == null ? null : snapshot.prefix(table, 0, prefix, 0, prefix.length);
    return new ViewIterator<>(found, fields) {
      @Override
      protected ViewChange decode(RowCursor cursor, UnsafeRow row) {
        int type = cursor.key().bytes[cursor.key().offset + KEY - 1];
        return new ViewChange(ChangeType.values()[type], row);
      }
    };
  }

  /** Empties the changelog of older epochs and starts this one's. */
  static ChangelogWriter changelog(Transaction tx, long epoch, OperatorCounters counters) {
    tx.dropTable(CHANGELOG);
    return new ChangelogWriter(StateTable.ordered(tx, CHANGELOG, false, counters), epoch);
  }

  /** Appends to one epoch's changelog. */
  static final class ChangelogWriter {
    private final StateTable table;
    private final ByteBuffer key = ByteBuffer.allocate(KEY);
    private int count;

    private ChangelogWriter(StateTable table, long epoch) {
      this.table = table;
      key.putLong(0, epoch);
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
      key.putInt(Long.BYTES, count++);
      key.put(KEY - 1, (byte) type.ordinal());
      table.put(0, key.array(), KEY, row);
    }
  }

  /** Decodes a cursor's values as rows, and closes it at the end. */
  private abstract static class ViewIterator<T> implements Iterator<T> {
    private final UnsafeRow row;
    private RowCursor cursor;
    private boolean ready;

    ViewIterator(RowCursor cursor, int fields) {
      this.cursor = cursor;
      this.row = new UnsafeRow(fields);
    }

    protected abstract T decode(RowCursor at, UnsafeRow current);

    @Override
    public boolean hasNext() {
      if (cursor != null && !ready) {
        ready = cursor.next();
        if (!ready) {
          cursor.close();
          cursor = null;
        }
      }
      return ready;
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      ready = false;
      StateTable.point(row, cursor.value());
      return decode(cursor, row);
    }
  }
}
