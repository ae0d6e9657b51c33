package io.groundswell.spark.views.operator.join;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.BundleTable;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;

/**
 * The changes of an inner join of two inputs of which nothing is ever taken back: {@code ΔL ⋈ R + L
 * ⋈ ΔR + ΔL ⋈ ΔR}, join key by join key. What is new stays in the bytes it came in, one
 * {@link RowList} a key and side, and is written as it is when all changes have been given.
 */
final class AppendJoin extends ChangeIterator {
  /** Name, columns and join key of a side. */
  record Side(String name, List<Column> columns, int[] keys) {}

  /** What is new under a join key; null: nothing. */
  private static final class Added {
    RowList left;
    RowList right;
  }

  private enum Step { KEY, SCAN_RIGHT, SCAN_LEFT, BOTH }

  private final Map<UnsafeRow, Added> all = new LinkedHashMap<>();
  private final Iterator<Map.Entry<UnsafeRow, Added>> keys;
  private final RowKeys joinKeys;
  private final BundleTable left;
  private final BundleTable right;
  private final UnsafeRow newLeft;
  private final UnsafeRow newRight;
  private final UnsafeRowJoiner join;

  private Step step = Step.KEY;
  private UnsafeRow key;
  private int hash;
  private Added added;
  private int at; // in the new rows that the current row of the other side meets
  private int leftAt; // in the new left rows, for step BOTH

  /** Takes the inputs to their end. */
  AppendJoin(String state, Transaction tx, Side left, Side right, Projections code,
      List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    super(code, concat(Projections.types(left.columns()), Projections.types(right.columns())),
        counters);
    this.joinKeys = new RowKeys(code, left.columns(), left.keys());
    collect(state, code, joinKeys, left, inputs.get(0), true, counters);
    collect(state, code, new RowKeys(code, right.columns(), right.keys()), right, inputs.get(1),
        false, counters);
    this.keys = all.entrySet().iterator();
    this.left = new BundleTable(tx, left.name(), left.columns().size(), counters);
    this.right = new BundleTable(tx, right.name(), right.columns().size(), counters);
    this.newLeft = new UnsafeRow(left.columns().size());
    this.newRight = new UnsafeRow(right.columns().size());
    this.join = code.joiner(Projections.types(left.columns()), Projections.types(right.columns()));
  }

  private void collect(String state, Projections code, RowKeys keysOf, Side side,
      Iterator<InternalRow> rows, boolean isLeft, OperatorCounters counters) {
    UnsafeProjection values = code.select(side.columns(), Projections.all(side.columns().size()));
    int weight = side.columns().size();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UnsafeRow joinKey = keysOf.of(row);
      if (row.getInt(weight) != 1) {
        throw RowKeys.inconsistent("join \"" + state + "\": a row of an append-only input is taken "
            + "back, under the join key " + keysOf.text(joinKey));
      }
      if (!keysOf.hasNull(joinKey)) {
        of(joinKey, isLeft).add(values.apply(row));
      }
    }
  }

  private RowList of(UnsafeRow joinKey, boolean isLeft) {
    Added under = all.get(joinKey);
    if (under == null) {
      under = new Added();
      all.put(joinKey.copy(), under);
    }
    if (isLeft) {
      under.left = under.left == null ? new RowList() : under.left;
      return under.left;
    }
    under.right = under.right == null ? new RowList() : under.right;
    return under.right;
  }

  @Override
  protected boolean advance() {
    return switch (step) {
      case KEY -> nextKey();
      case SCAN_RIGHT -> scanRight();
      case SCAN_LEFT -> scanLeft();
      case BOTH -> both();
    };
  }

  private boolean nextKey() {
    if (!keys.hasNext()) {
      all.forEach(this::write);
      left.finish();
      right.finish();
      return false;
    }
    Map.Entry<UnsafeRow, Added> entry = keys.next();
    key = entry.getKey();
    added = entry.getValue();
    hash = joinKeys.hash(key);
    if (added.left == null) {
      openLeft();
    } else {
      right.open(hash, key);
      at = added.left.length();
      step = Step.SCAN_RIGHT;
    }
    return true;
  }

  private boolean scanRight() {
    if (at == added.left.length()) {
      if (!right.next()) {
        openLeft();
        return true;
      }
      at = 0;
    }
    at = RowList.read(added.left.bytes(), at, newLeft);
    after = join.join(newLeft, right.row());
    return true;
  }

  private void openLeft() {
    if (added.right == null) {
      step = Step.KEY;
    } else {
      left.open(hash, key);
      at = added.right.length();
      step = Step.SCAN_LEFT;
    }
  }

  private boolean scanLeft() {
    if (at == added.right.length()) {
      if (!left.next()) {
        leftAt = 0;
        step = added.left == null ? Step.KEY : Step.BOTH;
        return true;
      }
      at = 0;
    }
    at = RowList.read(added.right.bytes(), at, newRight);
    after = join.join(left.row(), newRight);
    return true;
  }

  private boolean both() {
    if (at == added.right.length()) {
      if (leftAt == added.left.length()) {
        step = Step.KEY;
        return true;
      }
      leftAt = RowList.read(added.left.bytes(), leftAt, newLeft);
      at = 0;
    }
    at = RowList.read(added.right.bytes(), at, newRight);
    after = join.join(newLeft, newRight);
    return true;
  }

  private void write(UnsafeRow joinKey, Added rows) {
    int placed = joinKeys.hash(joinKey);
    if (rows.left != null) {
      left.insert(placed, joinKey, rows.left);
    }
    if (rows.right != null) {
      right.insert(placed, joinKey, rows.right);
    }
  }
}
