package io.groundswell.spark.views.operator.view;

import com.google.common.collect.AbstractIterator;
import com.google.common.collect.Iterators;
import io.groundswell.engine.ChangeRows;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.state.RowList;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.view.ViewTables.ViewChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * What some commits changed in the rows of a view that keeps no changelog, one change a key. A
 * commit knows the keys that it wrote, so this costs in proportion to them, not to the view.
 */
public final class ViewDiff<T> {
  /** What is told of a change; key and row are reused by the next step. */
  @FunctionalInterface
  public interface Telling<T> {
    T tell(ChangeType type, UnsafeRow key, UnsafeRow row);
  }

  /** A key that a commit wrote or deleted. */
  private record Changed(int hash, byte[] key) {
    boolean in(Snapshot snapshot, TableSpec table, Slice out) {
      return table != null && snapshot.get(table, hash, key, 0, key.length, out);
    }

    /** What a table's rows stand in the order of. */
    byte[] stem(TableSpec table) {
      byte[] stem = new byte[InternalKey.encodedLength(key.length)];
      int length = InternalKey.encodeStem(table, hash, key, 0, key.length, stem, 0);
      return Arrays.copyOf(stem, length);
    }
  }

  /** One with its place among those of all commits. */
  private record Placed(byte[] stem, Changed changed) {}

  private final Snapshot before;
  private final List<Snapshot> commits;
  private final Snapshot after;
  private final int keyFields;
  private final int fields;
  private final Predicate<InternalRow> shown;
  private final Telling<T> telling;

  private ViewDiff(Snapshot before, List<Snapshot> commits, int keyFields, int fields,
      Predicate<InternalRow> shown, Telling<T> telling) {
    this.before = before;
    this.commits = commits;
    this.after = commits.get(commits.size() - 1);
    this.keyFields = Math.max(1, keyFields);
    this.fields = fields;
    this.shown = shown;
    this.telling = telling;
  }

  /**
   * The changes between two versions of a partition; rows are reused by the next step.
   *
   * @param before the older version; null: there was none
   * @param commits the versions after it, ascending; the last is the newer one of the two
   * @param shown tells the rows that readers see
   */
  public static Iterator<ViewChange> between(
      Snapshot before, List<Snapshot> commits, int fields, Predicate<InternalRow> shown) {
    return keyed(before, commits, ViewTables.ROWS, 1, fields, shown,
        (type, key, row) -> new ViewChange(type, row));
  }

  /** The same with the stream keys of the rows. */
  public static <T> Iterator<T> keyed(Snapshot before, List<Snapshot> commits, String table,
      int keyFields, int fields, Predicate<InternalRow> shown, Telling<T> telling) {
    ViewDiff<T> diff = new ViewDiff<>(before, commits, keyFields, fields, shown, telling);
    return Iterators.concat(diff.rows(table), diff.bundles());
  }

  private Iterator<T> rows(String table) {
    TableSpec old = spec(before, table);
    TableSpec now = spec(after, table);
    UnsafeRow was = new UnsafeRow(fields);
    UnsafeRow is = new UnsafeRow(fields);
    UnsafeRow rowKey = new UnsafeRow(keyFields);
    Slice slice = new Slice();
    return Iterators.concat(Iterators.transform(changed(table), key -> {
      UnsafeRow first = key.in(before, old, slice) ? at(was, slice) : null;
      UnsafeRow then = key.in(after, now, slice) ? at(is, slice) : null;
      rowKey.pointTo(key.key(), key.key().length);
      return changes(rowKey, first, then, new ArrayList<>(2)).iterator();
    }));
  }

  private static UnsafeRow at(UnsafeRow row, Slice slice) {
    StateTable.point(row, slice);
    return row;
  }

  private Iterator<T> bundles() {
    TableSpec old = spec(before, BundledView.BUNDLES);
    TableSpec now = spec(after, BundledView.BUNDLES);
    return Iterators.concat(Iterators.transform(changed(BundledView.BUNDLES), key -> {
      Map<UnsafeRow, UnsafeRow> was = bundle(key, before, old);
      Map<UnsafeRow, UnsafeRow> is = bundle(key, after, now);
      List<T> found = new ArrayList<>();
      was.forEach((rowKey, row) -> changes(rowKey, row, is.remove(rowKey), found));
      is.forEach((rowKey, row) -> changes(rowKey, null, row, found));
      return found.iterator();
    }));
  }

  private Map<UnsafeRow, UnsafeRow> bundle(Changed key, Snapshot snapshot, TableSpec table) {
    Map<UnsafeRow, UnsafeRow> rows = new LinkedHashMap<>();
    Slice found = new Slice();
    if (key.in(snapshot, table, found)) {
      for (int at = found.offset; at < found.offset + found.length;) {
        UnsafeRow rowKey = new UnsafeRow(keyFields); // compared as bytes
        UnsafeRow row = new UnsafeRow(fields);
        at = RowList.read(found.bytes, at, rowKey);
        at = RowList.read(found.bytes, at, row);
        rows.put(rowKey, row);
      }
    }
    return rows;
  }

  private List<T> changes(UnsafeRow key, UnsafeRow was, UnsafeRow is, List<T> out) {
    UnsafeRow old = was != null && shown.test(was) ? was : null;
    UnsafeRow now = is != null && shown.test(is) ? is : null;
    if (old != null && !old.equals(now)) {
      out.add(telling.tell(now == null ? ChangeType.DELETE : ChangeType.UPDATE_PREIMAGE, key, old));
    }
    if (now != null && !now.equals(old)) {
      out.add(
          telling.tell(old == null ? ChangeType.INSERT : ChangeType.UPDATE_POSTIMAGE, key, now));
    }
    return out;
  }

  /**
   * Keys that the commits wrote, each once. A commit gives its own in order, so those of several
   * are merged, and none is held.
   */
  private Iterator<Changed> changed(String table) {
    if (commits.size() == 1) {
      return changed(after, table);
    }
    TableSpec order = commits.stream()
                          .map(commit -> commit.table(table))
                          .filter(Objects::nonNull)
                          .findFirst()
                          .orElse(null);
    List<Iterator<Placed>> placed = new ArrayList<>();
    for (Snapshot commit : commits) {
      placed.add(
          Iterators.transform(changed(commit, table), key -> new Placed(key.stem(order), key)));
    }
    Iterator<Placed> merged =
        Iterators.mergeSorted(placed, (a, b) -> Arrays.compareUnsigned(a.stem(), b.stem()));
    return new AbstractIterator<>() {
      private byte[] last;

      @Override
      protected Changed computeNext() {
        while (merged.hasNext()) {
          Placed next = merged.next();
          if (!Arrays.equals(next.stem(), last)) {
            last = next.stem();
            return next.changed();
          }
        }
        return endOfData();
      }
    };
  }

  private static Iterator<Changed> changed(Snapshot commit, String table) {
    TableSpec spec = commit.table(table);
    if (spec == null) {
      return Collections.emptyIterator();
    }
    ChangeRows rows = commit.changes(spec);
    return new AbstractIterator<>() {
      @Override
      protected Changed computeNext() {
        return rows.next() ? new Changed(rows.hash(), rows.key().copy()) : endOfData();
      }
    };
  }

  private static TableSpec spec(Snapshot snapshot, String table) {
    return snapshot == null ? null : snapshot.table(table);
  }
}
