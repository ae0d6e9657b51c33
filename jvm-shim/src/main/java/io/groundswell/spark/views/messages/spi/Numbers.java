package io.groundswell.spark.views.messages.spi;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.TimeType;

/** Numbers and times as Spark's columns hold them, or why they do not. */
public final class Numbers {
  public static final long MILLIS = 1_000;
  public static final long MICROS = 1;
  private static final long FIRST_DAY = -719_162;
  private static final long LAST_DAY = 2_932_896;
  private static final long DAY_MICROS = 86_400_000_000L;
  private static final long DAY_NANOS = DAY_MICROS * 1_000;

  private Numbers() {}

  /** A whole number that a column of a type holds; null: the type is of another kind. */
  public static Value whole(DataType type) {
    if (type.equals(DataTypes.LongType)) {
      return datum -> ((Number) datum).longValue();
    }
    if (type.equals(DataTypes.IntegerType)) {
      return datum -> (int) within(datum, Integer.MIN_VALUE, Integer.MAX_VALUE, type);
    }
    if (type.equals(DataTypes.ShortType)) {
      return datum -> (short) within(datum, Short.MIN_VALUE, Short.MAX_VALUE, type);
    }
    if (type.equals(DataTypes.ByteType)) {
      return datum -> (byte) within(datum, Byte.MIN_VALUE, Byte.MAX_VALUE, type);
    }
    return null;
  }

  /** A float that a column of a type holds; null: the type is of another kind. */
  public static Value fraction(DataType type) {
    if (type.equals(DataTypes.FloatType)) {
      return datum -> datum;
    }
    return type.equals(DataTypes.DoubleType) ? datum -> ((Number) datum).doubleValue() : null;
  }

  private static long within(Object datum, long least, long most, DataType type) {
    long value = ((Number) datum).longValue();
    if (value < least || value > most) {
      throw unheld(value, type);
    }
    return value;
  }

  /** That a column does not hold a value. */
  public static Unreadable unheld(Object value, DataType type) {
    return new Unreadable(value + " is no " + type.simpleString());
  }

  /** A decimal with no more digits than its column's. */
  public static Decimal decimal(BigDecimal value, DecimalType type) {
    BigDecimal scaled;
    try {
      scaled = value.setScale(type.scale(), RoundingMode.UNNECESSARY);
    } catch (ArithmeticException e) {
      throw unheld(value.toPlainString(), type);
    }
    if (scaled.precision() > type.precision()) {
      throw unheld(value.toPlainString(), type);
    }
    return Decimal.apply(scaled, type.precision(), type.scale());
  }

  /** A day of the years 1 to 9999. */
  public static Value day(DateType type) {
    return datum -> (int) within(datum, FIRST_DAY, LAST_DAY, type);
  }

  /**
   * The microseconds of a time of the years 1 to 9999.
   *
   * @param parts how many microseconds one of the number is
   */
  public static Value micros(long parts, DataType type) {
    long least = FIRST_DAY * DAY_MICROS / parts;
    long most = ((LAST_DAY + 1) * DAY_MICROS - 1) / parts;
    return datum -> within(datum, least, most, type) * parts;
  }

  /** The same of nanoseconds, cut to the microsecond before. */
  public static Value ofNanos() {
    return datum -> Math.floorDiv((Long) datum, 1_000L);
  }

  /**
   * A time of day, cut to what its column has.
   *
   * @param parts how many nanoseconds one of the number is
   */
  public static Value timeOfDay(long parts, TimeType type) {
    long unit = (long) Math.pow(10, 9 - type.precision());
    return datum -> within(datum, 0, DAY_NANOS / parts - 1, type) * parts / unit * unit;
  }
}
