package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.BundleTable;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowList;
import io.groundswell.spark.views.operator.state.RowMap;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;

/**
 * The changes of an inner join of two inputs of which nothing is ever taken back: {@code ΔL ⋈ R + L
 * ⋈ ΔR + ΔL ⋈ ΔR}, join key by join key. What is new stays in the bytes it came in, one
 * {@link RowList} a key and side, and is written as it is when all changes have been given.
 */
final class AppendJoin extends ChangeIterator {
  private enum Step { KEY, SCAN_RIGHT, SCAN_LEFT, BOTH }

  private final RowMap<AppendedRows.Added> all;
  private final Iterator<AppendedRows.Added> keys;
  private final RowKeys joinKeys;
  private final BundleTable left;
  private final BundleTable right;
  private final UnsafeRow newLeft;
  private final UnsafeRow newRight;
  private final UnsafeRowJoiner join;

  private Step step = Step.KEY;
  private UnsafeRow key;
  private int hash;
  private AppendedRows.Added added;
  private int at; // in the new rows that the current row of the other side meets
  private int leftAt; // in the new left rows, for step BOTH

  AppendJoin(RowMap<AppendedRows.Added> all, RowKeys joinKeys, BundleTable left, BundleTable right,
      DataType[] leftTypes, DataType[] rightTypes, Projections code, OperatorCounters counters) {
    super(code, concat(leftTypes, rightTypes), counters);
    this.all = all;
    this.joinKeys = joinKeys;
    this.keys = all.iterator();
    this.left = left;
    this.right = right;
    this.newLeft = new UnsafeRow(leftTypes.length);
    this.newRight = new UnsafeRow(rightTypes.length);
    this.join = code.joiner(leftTypes, rightTypes);
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
    added = keys.next();
    key = added.key();
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

  private void write(AppendedRows.Added rows) {
    UnsafeRow joinKey = rows.key();
    int placed = joinKeys.hash(joinKey);
    if (rows.left != null) {
      left.insert(placed, joinKey, rows.left);
    }
    if (rows.right != null) {
      right.insert(placed, joinKey, rows.right);
    }
  }
}
