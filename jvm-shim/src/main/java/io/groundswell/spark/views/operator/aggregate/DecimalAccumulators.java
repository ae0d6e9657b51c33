package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ExactInteger;
import io.groundswell.spark.views.operator.codec.ExactIntegers;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/**
 * {@code sum} and {@code avg} of decimals: the sum of the unscaled values, exact. Its precision is
 * Spark's, ten digits more than the argument's and 38 at most; whether it fits is asked of the
 * final value alone. An average divides and rounds as Spark does.
 */
final class DecimalAccumulators extends ExactSums {
  private final int precision;
  private final int scale;
  private final boolean small;
  private final int sumPrecision;

  DecimalAccumulators(AggregateCall call) {
    super(call);
    DecimalType type = (DecimalType) call.type();
    this.precision = type.precision();
    this.scale = type.scale();
    this.small = precision <= Decimal.MAX_LONG_DIGITS();
    this.sumPrecision = Math.min(precision + 10, DecimalType.MAX_PRECISION());
  }

  @Override
  protected void addValue(
      ExactIntegers sums, int group, SpecializedGetters row, int ordinal, int weight) {
    Decimal value = row.getDecimal(ordinal, precision, scale);
    if (small) {
      sums.add(group, value.toUnscaledLong(), weight);
    } else {
      BigInteger unscaled = value.toJavaBigDecimal().unscaledValue();
      ExactInteger sum = sums.get(group);
      sum.add(weight > 0 ? unscaled : unscaled.negate());
      sums.set(group, sum);
    }
  }

  @Override
  protected void value(ExactInteger sum, long count, InternalRow out, int ordinal) {
    out.update(ordinal, value(sum, count));
  }

  private Decimal value(ExactInteger sum, long count) {
    boolean nullOnOverflow = call.overflow() != AggregateCall.Overflow.ERROR;
    BigDecimal exact = new BigDecimal(sum.value(), scale);
    if (exact.precision() > sumPrecision) {
      if (nullOnOverflow) {
        return null;
      }
      String instead = call.function() == AggregateCall.Function.SUM ? "try_sum" : "try_avg";
      throw QueryExecutionErrors.overflowInSumOfDecimalError(null, instead);
    }
    Decimal total = Decimal.apply(exact, sumPrecision, scale);
    if (call.function() == AggregateCall.Function.SUM) {
      return total;
    }
    DecimalType type = (DecimalType) call.result();
    return total.$div(Decimal.apply(count))
        .toPrecision(type.precision(), type.scale(), Decimal.ROUND_HALF_UP(), nullOnOverflow, null);
  }
}
