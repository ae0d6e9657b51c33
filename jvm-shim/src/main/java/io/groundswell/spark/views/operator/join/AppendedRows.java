package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.BundleTable;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowList;
import io.groundswell.spark.views.operator.state.RowMap;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The new rows of both sides of an {@link AppendJoin}, by join key. */
final class AppendedRows implements Passes.Collector {
  /** Columns, join key and table of a side. */
  record Side(List<Column> columns, int[] keys, BundleTable table) {}

  /** What is new under a join key; null: nothing. */
  static final class Added extends RowMap.Entry {
    RowList left;
    RowList right;
  }

  /** Bytes of a join key, beside its own: objects, entry of the map, lists. */
  private static final int KEY_OVERHEAD = RowMap.ENTRY_OVERHEAD + 160;

  private final String state;
  private final Side[] sides;
  private final RowKeys[] keys = new RowKeys[2];
  private final UnsafeProjection[] values = new UnsafeProjection[2];
  private final Projections code = new Projections();
  private final OperatorCounters counters;
  private final RowMap<Added> all = new RowMap<>();

  AppendedRows(String state, Side left, Side right, OperatorCounters counters) {
    this.state = state;
    this.counters = counters;
    sides = new Side[] {left, right};
    for (int side = 0; side < 2; side++) {
      List<Column> columns = sides[side].columns();
      keys[side] = new RowKeys(code, columns, sides[side].keys());
      values[side] = code.select(columns, Projections.all(columns.size()));
    }
  }

  @Override
  public long add(int input, InternalRow row) {
    UnsafeRow key = key(input, row);
    if (key == null) {
      return 0;
    }
    long held = 0;
    int known = all.size();
    Added under = all.getOrAdd(key, Added::new);
    if (all.size() > known) {
      held = key.getSizeInBytes() + KEY_OVERHEAD;
    }
    UnsafeRow value = values[input].apply(row);
    list(under, input).add(value);
    return held + 2L * (value.getSizeInBytes() + Integer.BYTES); // lists grow to twice their size
  }

  @Override
  public void move(int input, InternalRow row, Passes.Target parts) {
    UnsafeRow key = key(input, row);
    if (key != null) {
      parts.add(input, keys[input].hash(key), 1, values[input].apply(row));
    }
  }

  @Override
  public void moveAll(Passes.Target parts) {
    UnsafeRow[] rows = {
        new UnsafeRow(sides[0].columns().size()), new UnsafeRow(sides[1].columns().size())};
    all.forEach(under -> {
      int hash = keys[0].hash(under.key());
      for (int side = 0; side < 2; side++) {
        RowList list = side == 0 ? under.left : under.right;
        for (int at = 0; list != null && at < list.length();) {
          at = RowList.read(list.bytes(), at, rows[side]);
          parts.add(side, hash, 1, rows[side]);
        }
      }
    });
    all.clear();
  }

  @Override
  public Iterator<InternalRow> changes() {
    return new AppendJoin(all, keys[0], sides[0].table(), sides[1].table(),
        Projections.types(sides[0].columns()), Projections.types(sides[1].columns()), code,
        counters);
  }

  /** The join key of a row; null if it has a null and so matches nothing. */
  private UnsafeRow key(int input, InternalRow row) {
    UnsafeRow key = keys[input].of(row);
    if (row.getInt(sides[input].columns().size()) != 1) {
      throw RowKeys.inconsistent("join \"" + state + "\": a row of an append-only input is taken "
          + "back, under the join key " + keys[input].text(key));
    }
    return keys[input].hasNull(key) ? null : key;
  }

  private static RowList list(Added under, int input) {
    if (input == 0) {
      under.left = under.left == null ? new RowList() : under.left;
      return under.left;
    }
    under.right = under.right == null ? new RowList() : under.right;
    return under.right;
  }
}
