package io.groundswell.spark.views.operator.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ValueCodec;
import io.groundswell.spark.views.operator.spi.Column;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Descending$;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.InterpretedOrdering;
import org.apache.spark.sql.catalyst.expressions.NullsFirst$;
import org.apache.spark.sql.catalyst.expressions.NullsLast$;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class OrderEncodingTest {
  private static final List<DataType> TYPES = List.of(DataTypes.BooleanType, DataTypes.ByteType,
      DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType, DataTypes.FloatType,
      DataTypes.DoubleType, DataTypes.StringType, DataTypes.BinaryType, DataTypes.DateType,
      DataTypes.TimestampType, DataTypes.TimestampNTZType, DataTypes.createDecimalType(9, 2),
      DataTypes.createDecimalType(38, 10), DataTypes.createYearMonthIntervalType(),
      DataTypes.createDayTimeIntervalType(), DataTypes.createArrayType(DataTypes.IntegerType),
      new StructType().add("a", DataTypes.StringType).add("b", DataTypes.DoubleType));

  @Test
  void bytesSortAsSparkSortsRows() {
    Random random = new Random(Fixture.seed("OrderEncodingTest"));
    for (int round = 0; round < 60; round++) {
      List<Column> columns = new ArrayList<>();
      List<OrderEncoding.Key> keys = new ArrayList<>();
      List<SortOrder> spark = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        DataType type = TYPES.get(random.nextInt(TYPES.size()));
        boolean ascending = random.nextBoolean();
        boolean nullsFirst = random.nextBoolean();
        columns.add(new Column("c" + i, "c" + i, type, true));
        keys.add(new OrderEncoding.Key(i, ascending, nullsFirst));
        spark.add(new SortOrder(new BoundReference(i, type, true),
            ascending ? Ascending$.MODULE$ : Descending$.MODULE$,
            nullsFirst ? NullsFirst$.MODULE$ : NullsLast$.MODULE$,
            CollectionConverters
                .asScala(List.<org.apache.spark.sql.catalyst.expressions.Expression>of())
                .toSeq()));
      }
      compare(random, columns, keys, spark);
    }
  }

  private static void compare(
      Random random, List<Column> columns, List<OrderEncoding.Key> keys, List<SortOrder> spark) {
    InterpretedOrdering ordering =
        new InterpretedOrdering(CollectionConverters.asScala(spark).toSeq());
    OrderEncoding encoding = new OrderEncoding(columns, keys);
    List<InternalRow> rows = new ArrayList<>();
    List<byte[]> encoded = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      Object[] values = columns.stream()
                            .map(c -> random.nextInt(6) == 0 ? null : value(random, c.type()))
                            .toArray();
      rows.add(new GenericInternalRow(values));
      ByteWriter out = new ByteWriter();
      encoding.write(rows.get(i), out);
      encoded.add(out.copy(0));
    }
    for (int i = 0; i < rows.size(); i++) {
      for (int j = 0; j < rows.size(); j++) {
        int expected = Integer.signum(ordering.compare(rows.get(i), rows.get(j)));
        int actual = Integer.signum(Arrays.compareUnsigned(encoded.get(i), encoded.get(j)));
        assertEquals(expected, actual, keys + ": " + rows.get(i) + " and " + rows.get(j));
        assertFalse(expected != 0 && startsWith(encoded.get(i), encoded.get(j)), "not prefix-free");
      }
    }
  }

  private static boolean startsWith(byte[] all, byte[] start) {
    return all.length >= start.length
        && Arrays.equals(all, 0, start.length, start, 0, start.length);
  }

  @Test
  void whatWasWrittenIsReadBack() {
    Random random = new Random(Fixture.seed("OrderEncodingTest, read back"));
    for (DataType type : TYPES) {
      ValueCodec codec = ValueCodec.of(type);
      for (int i = 0; i < 50; i++) {
        Object value = value(random, type);
        ByteWriter out = new ByteWriter();
        codec.write(new GenericInternalRow(new Object[] {value}), 0, out);
        ByteReader in = new ByteReader();
        in.set(out.copy(0), 0);
        ByteWriter again = new ByteWriter();
        Object read = codec.read(in);
        codec.write(new GenericInternalRow(new Object[] {read}), 0, again);
        assertEquals(value.getClass(), read.getClass());
        assertEquals(Arrays.toString(out.copy(0)), Arrays.toString(again.copy(0)), type.sql());
      }
    }
  }

  @Test
  void valuesWithoutAnOrderOfBytesAreRefused() {
    assertNull(ValueCodec.of(DataTypes.createMapType(DataTypes.LongType, DataTypes.LongType)));
    assertNull(ValueCodec.of(DataType.fromDDL("a STRING COLLATE UTF8_LCASE")));
  }

  private static Object value(Random r, DataType type) {
    if (type.equals(DataTypes.BooleanType)) {
      return r.nextBoolean();
    } else if (type.equals(DataTypes.ByteType)) {
      return (byte) r.nextInt();
    } else if (type.equals(DataTypes.ShortType)) {
      return (short) r.nextInt();
    } else if (type.equals(DataTypes.FloatType)) {
      return new Float[] {Float.NaN, -0.0f, 0.0f, 1.5f, -1.5f, Float.MIN_VALUE,
          Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, r.nextFloat()}[r.nextInt(9)];
    } else if (type.equals(DataTypes.DoubleType)) {
      return new Double[] {Double.NaN, -0.0, 0.0, 1.5, -1.5, -Double.MIN_VALUE,
          Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, r.nextGaussian()}[r.nextInt(9)];
    } else if (type.equals(DataTypes.StringType)) {
      return UTF8String.fromString(new String[] {
          "", "\0", "a", "a\0", "a\0b", "a\u00ff", "b", "é", "\ud83d\ude00"}[r.nextInt(9)]);
    } else if (type.equals(DataTypes.BinaryType)) {
      byte[] bytes = new byte[r.nextInt(4)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = new byte[] {0, 1, -1, 127}[r.nextInt(4)];
      }
      return bytes;
    } else if (type instanceof org.apache.spark.sql.types.DecimalType decimal) {
      BigDecimal unscaled = new BigDecimal(
          new java.math.BigInteger(decimal.precision() > 18 ? 110 : 20, r), decimal.scale());
      return Decimal.apply(
          r.nextBoolean() ? unscaled : unscaled.negate(), decimal.precision(), decimal.scale());
    } else if (type instanceof org.apache.spark.sql.types.ArrayType) {
      Object[] values = new Object[r.nextInt(3)];
      Arrays.setAll(values, i -> r.nextInt(3) == 0 ? null : r.nextInt(3) - 1);
      return new GenericArrayData(values);
    } else if (type instanceof StructType) {
      return new GenericInternalRow(
          new Object[] {r.nextInt(3) == 0 ? null : value(r, DataTypes.StringType),
              r.nextInt(3) == 0 ? null : value(r, DataTypes.DoubleType)});
    } else if (type.defaultSize() == Integer.BYTES) {
      return r.nextBoolean() ? r.nextInt() : r.nextInt(5) - 2;
    }
    return r.nextBoolean() ? r.nextLong() : r.nextInt(5) - 2L;
  }
}
