package io.groundswell.spark.operator;

import io.groundswell.engine.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;

/**
 * Inner equi-join: {@code Δ(L ⋈ R) = ΔL ⋈ R + (L + ΔL) ⋈ ΔR}.
 *
 * <p>State: {@code left} and {@code right}, by the hash of the join key, see {@link JoinSide}. For
 * each join key that the barrier touches, a side is read at most once, and only if the other side
 * has changed. Rows whose join key has a null match nothing and are not stored.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, keyed by the
 * two stream keys and the join key. Rows that move to another join key on both sides in one barrier
 * are a - under the old one and a + under the new one, not a pair. See {@link JoinDelta} for how
 * one net change a key comes about.
 */
final class JoinOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final List<Column> left;
  private final List<Column> right;
  private final int[] leftKeys;
  private final int[] rightKeys;
  private final int[] leftKey;
  private final int[] rightKey;

  JoinOperator(Spec spec, List<List<Column>> inputs, List<Column> output) {
    this.state = spec.text("state");
    this.left = List.copyOf(inputs.get(0));
    this.right = List.copyOf(inputs.get(1));
    this.leftKeys = spec.positions("leftKeys", left);
    this.rightKeys = spec.positions("rightKeys", right);
    this.leftKey = spec.positions("leftKey", left);
    this.rightKey = spec.positions("rightKey", right);
    RowKeys.check(spec, left, leftKeys);
    RowKeys.check(spec, left, leftKey);
    RowKeys.check(spec, right, rightKey);
    DataType[] leftTypes = Projections.types(left, leftKeys);
    DataType[] rightTypes = Projections.types(right, rightKeys);
    if (leftTypes.length == 0 || leftTypes.length != rightTypes.length) {
      throw spec.invalid("needs equally many join keys of both sides, one at least");
    }
    for (int i = 0; i < leftTypes.length; i++) {
      if (!DataType.equalsStructurally(leftTypes[i], rightTypes[i], true)) {
        throw spec.invalid(
            "joins a key of type " + leftTypes[i].sql() + " with one of " + rightTypes[i].sql());
      }
    }
    List<Column> both = new ArrayList<>(left);
    both.addAll(right);
    if (!Arrays.equals(spec.positions(output, both), Projections.all(both.size()))) {
      throw spec.invalid("must give the left columns, then the right ones");
    }
  }

  @Override
  public boolean needsEmptyRun() {
    return false;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Map<UnsafeRow, JoinDelta.KeyChanges> changes = new LinkedHashMap<>();
    Projections code = new Projections();
    RowKeys joinKeys = new RowKeys(code, left, leftKeys);
    collect(code, inputs.get(0), left, joinKeys, leftKey, true, changes, counters);
    RowKeys ofRight = new RowKeys(code, right, rightKeys);
    collect(code, inputs.get(1), right, ofRight, rightKey, false, changes, counters);
    JoinSide leftSide = new JoinSide(tx, "left", left.size(), leftKey.length, counters);
    JoinSide rightSide = new JoinSide(tx, "right", right.size(), rightKey.length, counters);
    return new JoinDelta(state, changes, joinKeys, leftSide, rightSide, code,
        Projections.types(left), Projections.types(right), counters);
  }

  private void collect(Projections code, Iterator<InternalRow> rows, List<Column> columns,
      RowKeys joinKeys, int[] streamKey, boolean isLeft,
      Map<UnsafeRow, JoinDelta.KeyChanges> changes, OperatorCounters counters) {
    RowKeys streamKeys = new RowKeys(code, columns, streamKey);
    UnsafeProjection values = code.select(columns, Projections.all(columns.size()));
    int weight = columns.size();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UnsafeRow joinKey = joinKeys.of(row);
      if (joinKeys.hasNull(joinKey)) {
        continue;
      }
      JoinDelta.KeyChanges key = changes.get(joinKey);
      if (key == null) {
        key = new JoinDelta.KeyChanges();
        changes.put(joinKey.copy(), key);
      }
      UnsafeRow streamRow = streamKeys.of(row);
      key.side(isLeft).add(streamRow, row.getInt(weight), values.apply(row));
    }
  }
}
