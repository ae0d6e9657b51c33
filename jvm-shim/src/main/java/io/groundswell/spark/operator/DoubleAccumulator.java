package io.groundswell.spark.operator;

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.FloatType;

/**
 * {@code sum} and {@code avg} of floats and doubles: exact until the result is taken, so it does
 * not depend on the order of changes. Spark rounds at every addition; the two may differ in the
 * last digits, and where Spark's running sum overflows on the way to a finite one.
 */
final class DoubleAccumulator extends Accumulator {
  private final AggregateCall call;
  private final boolean single;
  private final ExactDouble sum = new ExactDouble();
  private long count;

  DoubleAccumulator(AggregateCall call) {
    this.call = call;
    this.single = call.type() instanceof FloatType;
  }

  @Override
  void add(SpecializedGetters row, int ordinal, int weight) {
    count += weight;
    sum.add(single ? row.getFloat(ordinal) : row.getDouble(ordinal), weight);
  }

  @Override
  void write(ByteWriter out) {
    out.putVarLong(count);
    sum.write(out);
  }

  @Override
  void read(ByteReader in) {
    count = in.getVarLong();
    sum.read(in);
  }

  @Override
  Object result() {
    if (count == 0) {
      return null;
    }
    return call.function() == AggregateCall.Function.AVG ? sum.value() / count : sum.value();
  }
}
