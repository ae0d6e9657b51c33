package io.groundswell.spark.views.operator.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class RowJoinerTest {
  private static final DataType[] TYPES = {DataTypes.BooleanType, DataTypes.IntegerType,
      DataTypes.LongType, DataTypes.DoubleType, DataTypes.StringType, DataTypes.BinaryType,
      DataTypes.createDecimalType(10, 2), DataTypes.createDecimalType(38, 4),
      DataTypes.CalendarIntervalType};

  /** Numbers of columns on both sides of a word of null bits. */
  private static final int[] COUNTS = {0, 1, 3, 63, 64, 65};

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @Test
  void rowsSideBySideHaveTheBytesThatSparksCodeGives() {
    for (int left : COUNTS) {
      for (int right : COUNTS) {
        check(types(left), types(right));
      }
    }
  }

  private void check(DataType[] left, DataType[] right) {
    RowJoiner ours = new RowJoiner(left, right);
    var sparks = GenerateUnsafeRowJoiner.create(struct(left), struct(right));
    for (double nulls : new double[] {0, 1, 0.3, 0.3}) {
      UnsafeRow first = row(left, nulls);
      UnsafeRow second = row(right, nulls);
      String where = "seed " + seed + ", " + left.length + " and " + right.length + " columns";
      UnsafeRow expected = sparks.join(first, second);
      UnsafeRow joined = ours.join(first, second);
      assertEquals(left.length + right.length, joined.numFields(), where);
      assertArrayEquals(expected.getBytes(), joined.getBytes(), where);
    }
  }

  private DataType[] types(int count) {
    DataType[] types = new DataType[count];
    for (int i = 0; i < count; i++) {
      types[i] = TYPES[random.nextInt(TYPES.length)];
    }
    return types;
  }

  private UnsafeRow row(DataType[] types, double nulls) {
    Object[] values = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      values[i] = random.nextDouble() < nulls ? null : value(types[i]);
    }
    return UnsafeProjection.create(types).apply(new GenericInternalRow(values)).copy();
  }

  private Object value(DataType type) {
    return switch (type.typeName()) {
      case "boolean" -> random.nextBoolean();
      case "integer" -> random.nextInt(3);
      case "long" -> random.nextLong();
      case "double" -> random.nextDouble();
      case "string" -> UTF8String.fromString("x".repeat(random.nextInt(20)));
      case "binary" -> new byte[random.nextInt(20)];
      case "interval" -> new CalendarInterval(random.nextInt(), 0, random.nextInt());
      default ->
        type.equals(DataTypes.createDecimalType(10, 2))
            ? Decimal.apply(BigDecimal.valueOf(random.nextInt(), 2), 10, 2)
            : Decimal.apply(BigDecimal.valueOf(random.nextLong(), 4), 38, 4);
    };
  }

  private static StructType struct(DataType[] types) {
    StructType struct = new StructType();
    for (int i = 0; i < types.length; i++) {
      struct = struct.add("c" + i, types[i]);
    }
    return struct;
  }
}
