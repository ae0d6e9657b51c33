package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.StateTable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A function of Spark's over inputs that come and go: its value, recomputed from all of the
 * group's inputs, in the order of their {@link ValueMultiset}, when one of them has changed. The
 * cost is O(group) for a changed group, whatever the number of changes.
 */
final class RecomputedAccumulator extends Accumulator {
  private final CatalystFunction.Evaluator function;
  private final boolean distinct;
  private UnsafeRow value;
  private boolean stale;

  RecomputedAccumulator(CatalystFunction.Evaluator function, boolean distinct) {
    this.function = function;
    this.distinct = distinct;
  }

  @Override
  void add(SpecializedGetters row, int ordinal, int weight) {
    throw new IllegalStateException("the multiset is told of values");
  }

  /** The group holds an input {@code now} times, and did {@code old} times. */
  void changed(long old, long now) {
    stale |= !distinct || (old == 0) != (now == 0);
  }

  /** To be called when all changes are in. */
  void settle(ValueMultiset inputs, ValueMultiset.Group group) {
    if (!stale && value != null) {
      return;
    }
    InternalRow buffer = function.begin();
    inputs.forEach(group, (row, count) -> {
      for (long i = distinct ? 1 : count; i > 0; i--) {
        function.update(buffer, row);
      }
    });
    value = function.result(buffer);
    stale = false;
  }

  @Override
  void write(ByteWriter out) {
    out.putVarLong(value.getSizeInBytes());
    out.putBytes(StateTable.bytes(value), StateTable.offset(value), value.getSizeInBytes());
  }

  @Override
  void read(ByteReader in) {
    byte[] bytes = in.getBytes((int) in.getVarLong());
    value = new UnsafeRow(1);
    value.pointTo(bytes, bytes.length);
  }

  @Override
  Object result() {
    return function.value(value);
  }
}
