package io.groundswell.spark.views.operator.state;

import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Nets a barrier's changes per key, whatever order they come in: a deleted and an inserted row of
 * equal bytes cancel out. Keys come out in the order of their first change.
 */
public final class ChangeBuffer {
  /** Bytes that a key's change takes beside the bytes of its key and its rows, about. */
  public static final int CHANGE_OVERHEAD = RowMap.ENTRY_OVERHEAD + 24;

  /** Bytes that a row takes beside its own, about. */
  public static final int ROW_OVERHEAD = 20;

  private final RowMap<Change> changes = new RowMap<>();
  private final List<Change> inserts; // null: changes are netted by key

  public ChangeBuffer() {
    this(null);
  }

  private ChangeBuffer(List<Change> inserts) {
    this.inserts = inserts;
  }

  /** For rows of an append-only input: all are new, so none is looked up by its key. */
  public static ChangeBuffer ofInserts() {
    return new ChangeBuffer(new ArrayList<>(2));
  }

  /** Adds a row of an append-only input; it is copied. */
  public void insert(UnsafeRow row) {
    Change change = new Change();
    change.add(1, row);
    inserts.add(change);
  }

  /** The rows of an append-only input; null if changes are netted by key. */
  public List<Change> inserts() {
    return inserts;
  }

  /** Adds one change; {@code key} and {@code row} are copied if kept. */
  public Change add(UnsafeRow key, int weight, UnsafeRow row) {
    Change change = changes.getOrAdd(key, Change::new);
    change.add(weight, row);
    return change;
  }

  /** The changes that did not cancel out. */
  public List<Change> net() {
    if (inserts != null) {
      return inserts;
    }
    List<Change> net = new ArrayList<>(changes.size());
    for (Change change : changes) {
      if (!change.isNone()) {
        net.add(change);
      }
    }
    return net;
  }

  /** All rows that did not cancel out, with their weights. */
  public void forEach(ObjIntConsumer<UnsafeRow> to) {
    for (Change change : changes) {
      change.forEach(to);
    }
    if (inserts != null) {
      inserts.forEach(change -> change.forEach(to));
    }
  }

  /** Whether every key has at most one deleted and one inserted row left. */
  public boolean isKeyed() {
    for (Change change : changes) {
      if (change.deletesMore() || change.insertsMore()) {
        return false;
      }
    }
    return true;
  }

  /** Whether no key is named: no row that is there already can be among the changes. */
  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /** The net change of a key, or null if the barrier has not touched it. */
  public Change get(UnsafeRow key) {
    return changes.get(key);
  }

  /** The changes by key; some may have cancelled out, see {@link Change#isNone}. */
  public RowMap<Change> changes() {
    return changes;
  }

  /** What a barrier did to one key. Rows that it gives are the caller's, over its own bytes. */
  public static final class Change extends RowMap.Entry {
    private byte[] before;
    private byte[] after;
    private More more; // null: there is no second row, deleted or inserted
    private int fields; // of each row

    /** Rows of a key beyond one deleted and one inserted. */
    private static final class More {
      private final List<UnsafeRow> before = new ArrayList<>(0);
      private final List<UnsafeRow> after = new ArrayList<>(2);
    }

    public void add(int weight, UnsafeRow row) {
      fields = row.numFields();
      if (weight > 0) {
        insert(row);
      } else if (weight < 0) {
        delete(row);
      }
    }

    private void insert(UnsafeRow row) {
      if (RowMap.equal(before, row)) {
        before = deletesMore() ? last(more.before) : null;
      } else if (!deletesMore() || !more.before.remove(row)) {
        if (after == null) {
          after = RowMap.bytesOf(row);
        } else {
          Mark.SECOND_ROW_INSERTED.hit();
          more().after.add(row.copy());
        }
      }
    }

    private void delete(UnsafeRow row) {
      if (RowMap.equal(after, row)) {
        after = insertsMore() ? last(more.after) : null;
      } else if (!insertsMore() || !more.after.remove(row)) {
        if (before == null) {
          before = RowMap.bytesOf(row);
        } else {
          Mark.SECOND_ROW_DELETED.hit();
          more().before.add(row.copy());
        }
      }
    }

    private More more() {
      if (more == null) {
        more = new More();
      }
      return more;
    }

    private static byte[] last(List<UnsafeRow> rows) {
      Mark.SECOND_ROW_STAYS.hit();
      return RowMap.bytesOf(rows.remove(rows.size() - 1));
    }

    /** All rows deleted, with weight -1, and inserted, with weight 1. */
    public void forEach(ObjIntConsumer<UnsafeRow> to) {
      if (before != null) {
        to.accept(before(), -1);
      }
      if (after != null) {
        to.accept(after(), 1);
      }
      if (more != null) {
        more.before.forEach(row -> to.accept(row, -1));
        more.after.forEach(row -> to.accept(row, 1));
      }
    }

    /** The row deleted, or null. */
    public UnsafeRow before() {
      return RowMap.rowOf(before, fields);
    }

    /** The row inserted, or null. */
    public UnsafeRow after() {
      return RowMap.rowOf(after, fields);
    }

    /** Whether a row is deleted. */
    public boolean deletes() {
      return before != null;
    }

    /** Whether a row is inserted. */
    public boolean inserts() {
      return after != null;
    }

    /** Forgets the change: it was dealt with. */
    public void clear() {
      before = null;
      after = null;
      more = null;
    }

    public boolean isNone() {
      return before == null && after == null;
    }

    /** Several rows deleted: more than a key can have held. */
    public boolean deletesMore() {
      return more != null && !more.before.isEmpty();
    }

    /** Several rows inserted: more than a key can hold. */
    public boolean insertsMore() {
      return more != null && !more.after.isEmpty();
    }
  }
}
