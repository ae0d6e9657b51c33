package io.groundswell.spark.views.operator.state;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Nets a barrier's changes per key, whatever order they come in: a deleted and an inserted row of
 * equal bytes cancel out. Keys come out in the order of their first change.
 */
public final class ChangeBuffer {
  private final Map<UnsafeRow, Change> changes;
  private final List<Change> inserts; // null: changes are netted by key

  public ChangeBuffer() {
    this(16);
  }

  /** With room for that many keys at first. */
  public ChangeBuffer(int keys) {
    changes = new LinkedHashMap<>(keys);
    inserts = null;
  }

  private ChangeBuffer(List<Change> inserts) {
    this.changes = Map.of();
    this.inserts = inserts;
  }

  /** For rows of an append-only input: all are new, so none is looked up by its key. */
  public static ChangeBuffer ofInserts() {
    return new ChangeBuffer(new ArrayList<>(2));
  }

  /** Adds a row of an append-only input; it is copied. */
  public void insert(UnsafeRow row) {
    Change change = new Change();
    change.after = row.copy();
    inserts.add(change);
  }

  /** The rows of an append-only input; null if changes are netted by key. */
  public List<Change> inserts() {
    return inserts;
  }

  /** Of rows whose last column, at {@code weight}, is their weight; counts them as taken in. */
  public static ChangeBuffer of(Iterator<InternalRow> rows, RowKeys keys, UnsafeProjection values,
      int weight, OperatorCounters counters) {
    ChangeBuffer changes = new ChangeBuffer();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      changes.add(keys.of(row), row.getInt(weight), values.apply(row));
    }
    return changes;
  }

  /** Of whole rows, as above; each key may have at most one deleted and one inserted row left. */
  public static ChangeBuffer keyed(Iterator<InternalRow> rows, RowKeys keys, Projections code,
      List<Column> columns, OperatorCounters counters, String otherwise) {
    UnsafeProjection values = code.select(columns, Projections.all(columns.size()));
    ChangeBuffer changes = of(rows, keys, values, columns.size(), counters);
    if (!changes.isKeyed()) {
      throw RowKeys.inconsistent(otherwise);
    }
    return changes;
  }

  /** Adds one change; {@code key} and {@code row} are copied if kept. */
  public Change add(UnsafeRow key, int weight, UnsafeRow row) {
    Change change = changes.get(key);
    if (change == null) {
      change = new Change();
      changes.put(key.copy(), change);
    }
    change.add(weight, row);
    return change;
  }

  /** The changes that did not cancel out. */
  public List<Change> net() {
    if (inserts != null) {
      return inserts;
    }
    List<Change> net = new ArrayList<>(changes.size());
    for (Change change : changes.values()) {
      if (!change.isNone()) {
        net.add(change);
      }
    }
    return net;
  }

  /** All rows that did not cancel out, with their weights. */
  public void forEach(ObjIntConsumer<UnsafeRow> to) {
    changes.values().forEach(change -> change.forEach(to));
    if (inserts != null) {
      inserts.forEach(change -> change.forEach(to));
    }
  }

  /** Whether every key has at most one deleted and one inserted row left. */
  public boolean isKeyed() {
    for (Change change : changes.values()) {
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
  public Map<UnsafeRow, Change> changes() {
    return changes;
  }

  /** What a barrier did to one key. */
  public static final class Change {
    private UnsafeRow before;
    private UnsafeRow after;
    private List<UnsafeRow> moreBefore = List.of();
    private List<UnsafeRow> moreAfter = List.of();

    public void add(int weight, UnsafeRow row) {
      if (weight > 0) {
        insert(row);
      } else if (weight < 0) {
        delete(row);
      }
    }

    private void insert(UnsafeRow row) {
      if (row.equals(before)) {
        before = moreBefore.isEmpty() ? null : moreBefore.remove(moreBefore.size() - 1);
      } else if (moreBefore.isEmpty() || !moreBefore.remove(row)) {
        if (after == null) {
          after = row.copy();
        } else {
          moreAfter = append(moreAfter, row);
        }
      }
    }

    private void delete(UnsafeRow row) {
      if (row.equals(after)) {
        after = moreAfter.isEmpty() ? null : moreAfter.remove(moreAfter.size() - 1);
      } else if (moreAfter.isEmpty() || !moreAfter.remove(row)) {
        if (before == null) {
          before = row.copy();
        } else {
          moreBefore = append(moreBefore, row);
        }
      }
    }

    private static List<UnsafeRow> append(List<UnsafeRow> rows, UnsafeRow row) {
      List<UnsafeRow> grown = rows.isEmpty() ? new ArrayList<>(2) : rows;
      grown.add(row.copy());
      return grown;
    }

    /** All rows deleted, with weight -1, and inserted, with weight 1. */
    public void forEach(ObjIntConsumer<UnsafeRow> to) {
      if (before != null) {
        to.accept(before, -1);
      }
      moreBefore.forEach(row -> to.accept(row, -1));
      if (after != null) {
        to.accept(after, 1);
      }
      moreAfter.forEach(row -> to.accept(row, 1));
    }

    /** The row deleted, or null. */
    public UnsafeRow before() {
      return before;
    }

    /** The row inserted, or null. */
    public UnsafeRow after() {
      return after;
    }

    public boolean isNone() {
      return before == null && after == null;
    }

    /** Several rows deleted: more than a key can have held. */
    public boolean deletesMore() {
      return !moreBefore.isEmpty();
    }

    /** Several rows inserted: more than a key can hold. */
    public boolean insertsMore() {
      return !moreAfter.isEmpty();
    }
  }
}
