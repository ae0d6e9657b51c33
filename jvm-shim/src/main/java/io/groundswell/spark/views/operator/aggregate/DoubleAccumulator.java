package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ExactDouble;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.FloatType;

/**
 * {@code sum} and {@code avg} of floats and doubles: exact until the result is taken, so it does
 * not depend on the order of changes. Spark rounds at every addition; the two may differ in the
 * last digits, and where Spark's running sum overflows on the way to a finite one.
 */
final class DoubleAccumulator extends SumAccumulator {
  private final boolean single;
  private final ExactDouble sum = new ExactDouble();

  DoubleAccumulator(AggregateCall call) {
    super(call);
    this.single = call.type() instanceof FloatType;
  }

  @Override
  protected void addValue(SpecializedGetters row, int ordinal, int weight) {
    sum.add(single ? row.getFloat(ordinal) : row.getDouble(ordinal), weight);
  }

  @Override
  protected void writeSums(ByteWriter out) {
    sum.write(out);
  }

  @Override
  protected void readSums(ByteReader in) {
    sum.add(in);
  }

  @Override
  protected Object value() {
    return call.function() == AggregateCall.Function.AVG ? sum.value() / count : sum.value();
  }
}
