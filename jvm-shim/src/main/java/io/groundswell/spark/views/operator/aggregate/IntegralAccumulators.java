package io.groundswell.spark.views.operator.aggregate;

import com.google.common.math.LongMath;
import io.groundswell.spark.views.operator.codec.ExactInteger;
import io.groundswell.spark.views.operator.codec.ExactIntegers;
import java.math.RoundingMode;
import org.apache.spark.sql.catalyst.InternalRow;
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
final class IntegralAccumulators extends ExactSums {
  private final int width; // bytes
  private final boolean rounded; // values are taken as doubles
  private final boolean interval;

  IntegralAccumulators(AggregateCall call) {
    super(call);
    DataType type = call.type();
    this.interval = type instanceof YearMonthIntervalType || type instanceof DayTimeIntervalType;
    this.width = width(type);
    this.rounded = type instanceof LongType && call.result() instanceof DoubleType;
    if (width == 0) {
      throw new IllegalArgumentException(call.function() + " of " + type.sql());
    }
  }

  private static int width(DataType type) {
    if (type instanceof LongType || type instanceof DayTimeIntervalType) {
      return Long.BYTES;
    } else if (type instanceof IntegerType || type instanceof YearMonthIntervalType) {
      return Integer.BYTES;
    } else if (type instanceof ShortType) {
      return Short.BYTES;
    }
    return type instanceof ByteType ? Byte.BYTES : 0;
  }

  @Override
  protected void addValue(
      ExactIntegers sums, int group, SpecializedGetters row, int ordinal, int weight) {
    switch (width) {
      case Integer.BYTES -> sums.add(group, row.getInt(ordinal), weight);
      case Short.BYTES -> sums.add(group, row.getShort(ordinal), weight);
      case Byte.BYTES -> sums.add(group, row.getByte(ordinal), weight);
      default -> addLong(sums, group, row.getLong(ordinal), weight);
    }
  }

  /** An average adds the double nearest to a long, of which 2^63 is one. */
  private void addLong(ExactIntegers sums, int group, long value, int weight) {
    if (!rounded) {
      sums.add(group, value, weight);
    } else if ((double) value == 0x1p63) {
      sums.add(group, Long.MIN_VALUE, -weight);
    } else {
      sums.add(group, (long) (double) value, weight);
    }
  }

  @Override
  protected long addFolded(ExactInteger sum, SpecializedGetters row, int[] parts) {
    long values = row.getLong(parts[2]);
    if (values > 0) {
      long high = row.getLong(parts[0]);
      sum.add(high >> 32, high << 32);
      sum.add(row.getLong(parts[1]), 1);
    }
    return values;
  }

  @Override
  protected void value(ExactInteger sum, long count, InternalRow out, int ordinal) {
    if (call.result() instanceof DoubleType) {
      double total = sum.fitsLong() ? sum.longValue() : sum.value().doubleValue();
      out.setDouble(ordinal, total / count);
    } else if (interval) {
      out.update(ordinal, interval(sum, count));
    } else if (sum.fitsLong() || call.overflow() == AggregateCall.Overflow.LEGACY) {
      out.setLong(ordinal, sum.longValue());
    } else if (call.overflow() == AggregateCall.Overflow.NULL) {
      out.setNullAt(ordinal);
    } else {
      throw QueryExecutionErrors.arithmeticOverflowError("long overflow", "try_add", null);
    }
  }

  private Object interval(ExactInteger sum, long count) {
    boolean narrow = width == Integer.BYTES;
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
