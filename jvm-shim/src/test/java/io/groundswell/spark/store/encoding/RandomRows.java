package io.groundswell.spark.store.encoding;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;

/** Rows of random schemas with every kind of layout: fixed, variable, nested, null. */
final class RandomRows {
  static final DataType WIDE_DECIMAL = new DecimalType(30, 4);
  private static final DataType NESTED =
      new StructType().add("a", DataTypes.LongType).add("b", DataTypes.StringType);
  private static final DataType[] ANY = {DataTypes.BooleanType, DataTypes.ByteType,
      DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType, DataTypes.FloatType,
      DataTypes.DoubleType, DataTypes.DateType, DataTypes.TimestampType, DataTypes.StringType,
      DataTypes.BinaryType, DataTypes.CalendarIntervalType, new DecimalType(10, 2), WIDE_DECIMAL,
      NESTED};

  final Random random;
  private final Map<StructType, UnsafeProjection> projections = new HashMap<>();

  RandomRows(long seed) {
    this.random = new Random(seed);
  }

  StructType schema(int columns) {
    StructType schema = new StructType();
    for (int i = 0; i < columns; i++) {
      schema = schema.add("c" + i, ANY[random.nextInt(ANY.length)]);
    }
    return schema;
  }

  /** As Spark's operators make their keys. */
  UnsafeRow row(StructType schema) {
    return projections.computeIfAbsent(schema, UnsafeProjection::create)
        .apply(values(schema))
        .copy();
  }

  InternalRow values(StructType schema) {
    Object[] values = new Object[schema.length()];
    for (int i = 0; i < values.length; i++) {
      StructField field = schema.fields()[i];
      // Spark's row writer leaves what stood there before under the null of an interval, so two
      // rows that are equal may differ in bytes, whichever store keeps them.
      boolean nullable =
          field.nullable() && !field.dataType().equals(DataTypes.CalendarIntervalType);
      values[i] = nullable && random.nextInt(6) == 0 ? null : value(field.dataType());
    }
    return new GenericInternalRow(values);
  }

  private Object value(DataType type) {
    if (type instanceof StructType nested) {
      return values(nested);
    } else if (type instanceof DecimalType decimal) {
      long unscaled = random.nextInt(2000) - 1000;
      return Decimal.apply(unscaled, decimal.precision(), decimal.scale());
    } else if (type.equals(DataTypes.BooleanType)) {
      return random.nextBoolean();
    } else if (type.equals(DataTypes.ByteType)) {
      return (byte) random.nextInt();
    } else if (type.equals(DataTypes.ShortType)) {
      return (short) random.nextInt();
    } else if (type.equals(DataTypes.IntegerType) || type.equals(DataTypes.DateType)) {
      return random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(20) - 10;
    } else if (type.equals(DataTypes.FloatType)) {
      return (float) number();
    } else if (type.equals(DataTypes.DoubleType)) {
      return number();
    } else if (type.equals(DataTypes.StringType)) {
      return UTF8String.fromString("x".repeat(random.nextInt(20)) + random.nextInt(50));
    } else if (type.equals(DataTypes.BinaryType)) {
      byte[] bytes = new byte[random.nextInt(20)];
      random.nextBytes(bytes);
      return bytes;
    } else if (type.equals(DataTypes.CalendarIntervalType)) {
      return new CalendarInterval(random.nextInt(), random.nextInt(), random.nextLong());
    }
    return random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(20) - 10L;
  }

  private double number() {
    double[] special = {
        0.0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, -1.5};
    return random.nextInt(3) == 0 ? special[random.nextInt(6)] : random.nextGaussian() * 100;
  }
}
