package io.groundswell.spark.views.operator.aggregate;

import com.google.common.math.LongMath;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ExactInteger;
import java.math.RoundingMode;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * {@code sum} and {@code avg} of whole numbers and intervals.
 *
 * <p>The sum is exact, and whether it fits is asked of the final value alone: Spark, in ANSI mode,
 * may fail on the way to a sum that fits. An average of numbers adds what Spark adds: each value as
 * a double.
 */
final class IntegralAccumulator extends SumAccumulator {
  private final boolean narrow; // held as an int
  private final boolean interval;
  private final ExactInteger sum = new ExactInteger();

  IntegralAccumulator(AggregateCall call) {
    super(call);
    DataType type = call.type();
    this.narrow = type instanceof IntegerType || type instanceof YearMonthIntervalType;
    this.interval = type instanceof YearMonthIntervalType || type instanceof DayTimeIntervalType;
    boolean small = type instanceof ByteType || type instanceof ShortType;
    if (!narrow && !interval && !small && !(type instanceof LongType)) {
      throw new IllegalArgumentException(call.function() + " of " + type.sql());
    }
  }

  @Override
  protected void addValue(SpecializedGetters row, int ordinal, int weight) {
    long value;
    if (narrow) {
      value = row.getInt(ordinal);
    } else if (call.type() instanceof ShortType) {
      value = row.getShort(ordinal);
    } else if (call.type() instanceof ByteType) {
      value = row.getByte(ordinal);
    } else {
      value = row.getLong(ordinal);
      if (call.result() instanceof DoubleType) {
        addDouble(value, weight);
        return;
      }
    }
    sum.add(value, weight);
  }

  @Override
  void addPartial(SpecializedGetters row, int[] parts) {
    long values = row.getLong(parts[2]);
    if (values > 0) {
      long high = row.getLong(parts[0]);
      sum.add(high >> 32, high << 32);
      sum.add(row.getLong(parts[1]), 1);
      count += values;
    }
  }

  private void addDouble(double value, int weight) {
    if (value == 0x1p63) {
      sum.add(Long.MIN_VALUE, -weight);
    } else {
      sum.add((long) value, weight);
    }
  }

  @Override
  protected void writeSums(ByteWriter out) {
    sum.write(out);
  }

  @Override
  protected void readSums(ByteReader in) {
    sum.read(in);
  }

  @Override
  protected Object value() {
    if (call.result() instanceof DoubleType) {
      double total = sum.fitsLong() ? sum.longValue() : sum.value().doubleValue();
      return total / count;
    }
    return interval ? intervalResult() : sumResult();
  }

  private Object sumResult() {
    if (sum.fitsLong() || call.overflow() == AggregateCall.Overflow.LEGACY) {
      return sum.longValue();
    }
    if (call.overflow() == AggregateCall.Overflow.NULL) {
      return null;
    }
    throw QueryExecutionErrors.arithmeticOverflowError("long overflow", "try_add", null);
  }

  private Object intervalResult() {
    long total = sum.longValue();
    if (!sum.fitsLong() || (narrow && total != (int) total)) {
      if (call.overflow() == AggregateCall.Overflow.NULL) {
        return null;
      }
      throw QueryExecutionErrors.withoutSuggestionIntervalArithmeticOverflowError(null);
    }
    if (call.function() == AggregateCall.Function.AVG) {
      total = LongMath.divide(total, count, RoundingMode.HALF_UP);
    }
    return narrow ? (Object) (int) total : (Object) total;
  }
}
