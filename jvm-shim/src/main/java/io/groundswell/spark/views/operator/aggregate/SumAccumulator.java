package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Calls over exact sums: null until there is a value, and the number of values beside the sums. */
abstract class SumAccumulator extends Accumulator {
  protected final AggregateCall call;
  protected long count;

  SumAccumulator(AggregateCall call) {
    this.call = call;
  }

  @Override
  final void add(SpecializedGetters row, int ordinal, int weight) {
    count += weight;
    addValue(row, ordinal, weight);
  }

  @Override
  final void write(ByteWriter out) {
    out.putVarLong(count);
    writeSums(out);
  }

  @Override
  final void read(ByteReader in) {
    count += in.getVarLong();
    readSums(in);
  }

  @Override
  final Object result() {
    return count == 0 ? null : value();
  }

  protected abstract void addValue(SpecializedGetters row, int ordinal, int weight);

  protected abstract void writeSums(ByteWriter out);

  protected abstract void readSums(ByteReader in);

  /** The call's value over at least one value. */
  protected abstract Object value();
}
