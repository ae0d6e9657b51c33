package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ExactDouble;
import java.math.BigInteger;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * {@code var_pop}, {@code var_samp}, {@code stddev_pop} and {@code stddev_samp}: from exact sums of
 * the values and their squares, rounded once, so that what is taken away leaves no trace and equal
 * values have no variance at all. Spark's running moments are rounded at every row.
 */
final class MomentAccumulator extends SumAccumulator {
  private final ExactDouble sum = new ExactDouble();
  private final ExactDouble squares = new ExactDouble();

  MomentAccumulator(AggregateCall call) {
    super(call);
  }

  @Override
  protected void addValue(SpecializedGetters row, int ordinal, int weight) {
    double value = row.getDouble(ordinal);
    sum.add(value, weight);
    squares.addSquare(value, weight);
  }

  @Override
  protected void writeSums(ByteWriter out) {
    sum.write(out);
    squares.write(out);
  }

  @Override
  protected void readSums(ByteReader in) {
    sum.add(in);
    squares.add(in);
  }

  @Override
  protected Object value() {
    AggregateCall.Function function = call.function();
    boolean sample = function == AggregateCall.Function.VAR_SAMP
        || function == AggregateCall.Function.STDDEV_SAMP;
    if (sample && count == 1) {
      return call.overflow() == AggregateCall.Overflow.NULL ? null : (Object) Double.NaN;
    }
    if (!sum.isFinite()) {
      return Double.NaN;
    }
    double variance = deviations() / (sample ? count - 1 : count);
    boolean root = function == AggregateCall.Function.STDDEV_SAMP
        || function == AggregateCall.Function.STDDEV_POP;
    return root ? Math.sqrt(variance) : variance;
  }

  /** The sum of squared distances from the mean: {@code (n Σx² - (Σx)²) / n}. */
  private double deviations() {
    BigInteger ofSquares = squares.mantissa().multiply(BigInteger.valueOf(count));
    BigInteger ofSum = sum.mantissa().pow(2);
    int exponent = Math.min(squares.exponent(), 2 * sum.exponent());
    BigInteger difference = ofSquares.shiftLeft(squares.exponent() - exponent)
                                .subtract(ofSum.shiftLeft(2 * sum.exponent() - exponent));
    return ExactDouble.round(difference, exponent) / count;
  }
}
