package io.groundswell.spark.views.operator.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class CopiedColumnsTest {
  private static final DataType[] TYPES = {DataTypes.BooleanType, DataTypes.ByteType,
      DataTypes.ShortType, DataTypes.IntegerType, DataTypes.DateType, DataTypes.LongType,
      DataTypes.TimestampType, DataTypes.TimestampNTZType, DataTypes.FloatType,
      DataTypes.DoubleType, DataTypes.StringType, DataTypes.BinaryType,
      DataTypes.createDecimalType(10, 2), DataTypes.createDecimalType(38, 4)};

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private static UnsafeProjection generated(DataType[] types, int[] positions) {
    List<Expression> columns = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      columns.add(new BoundReference(positions[i], types[i], true));
    }
    return UnsafeProjection.create(CollectionConverters.asScala(columns).toSeq());
  }

  @Test
  void copiesHaveTheBytesThatSparksCodeGives() {
    for (int count : new int[] {0, 1, 2, 7, 30, 64, 65}) {
      DataType[] input = new DataType[count + 3];
      for (int i = 0; i < input.length; i++) {
        input[i] = TYPES[random.nextInt(TYPES.length)];
      }
      int[] positions = random.ints(count, 0, input.length).toArray();
      DataType[] types = IntStream.of(positions).mapToObj(p -> input[p]).toArray(DataType[] ::new);
      UnsafeProjection sparks = generated(types, positions);
      UnsafeProjection ours = CopiedColumns.of(types, positions, () -> null);
      UnsafeProjection unsafe = UnsafeProjection.create(input);
      for (int i = 0; i < 20; i++) {
        InternalRow row = row(input, i == 0 ? 1 : i == 1 ? 0 : 0.3);
        byte[] expected = sparks.apply(row).getBytes();
        assertArrayEquals(expected, ours.apply(row).getBytes(), "seed " + seed);
        assertArrayEquals(expected, ours.apply(unsafe.apply(row)).getBytes(), "seed " + seed);
      }
    }
  }

  @Test
  void keysAreTheSameBytesWithAndWithoutFloats() {
    List<Column> columns = new ArrayList<>();
    for (DataType type : TYPES) {
      columns.add(new Column("c" + columns.size(), "c", type, true));
    }
    int[] all = Projections.all(TYPES.length);
    int[] exact = IntStream.of(all).filter(i -> i != 8 && i != 9).toArray();
    for (int[] positions : List.of(all, exact, new int[0])) {
      UnsafeProjection key = new Projections().key(columns, positions);
      for (int i = 0; i < 20; i++) {
        InternalRow row = row(TYPES, 0.2);
        InternalRow other = row.copy();
        if (!row.isNullAt(9)) {
          row.setDouble(9, 0.0);
          other.setDouble(9, -0.0);
        }
        byte[] bytes = key.apply(row).getBytes();
        assertArrayEquals(bytes, key.apply(other).getBytes(), "seed " + seed);
        assertFalse(bytes.length == 0);
      }
    }
  }

  @Test
  void manyRowsHaveCodeOfTheirOwnAndTypesThatAreNotCopiedToo() {
    DataType[] types = {DataTypes.LongType};
    int[] made = {0};
    UnsafeProjection copied = CopiedColumns.of(types, new int[] {0}, () -> {
      made[0]++;
      return generated(types, new int[] {0});
    });
    for (long i = 0; i < CopiedColumns.FEW + 10; i++) {
      assertEquals(i, copied.apply(new GenericInternalRow(new Object[] {i})).getLong(0));
      assertEquals(i < CopiedColumns.FEW ? 0 : 1, made[0]);
    }
    DataType[] lists = {DataTypes.LongType, DataTypes.createArrayType(DataTypes.LongType)};
    UnsafeProjection own = generated(lists, new int[] {0, 1});
    assertEquals(own, CopiedColumns.of(lists, new int[] {0, 1}, () -> own));
  }

  private InternalRow row(DataType[] types, double nulls) {
    Object[] values = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      values[i] = random.nextDouble() < nulls ? null : value(types[i]);
    }
    return new GenericInternalRow(values);
  }

  private Object value(DataType type) {
    return switch (type.typeName()) {
      case "boolean" -> random.nextBoolean();
      case "byte" -> (byte) random.nextInt();
      case "short" -> (short) random.nextInt();
      case "integer", "date" -> random.nextInt();
      case "long", "timestamp", "timestamp_ntz" -> random.nextLong();
      case "float" -> List.of(0f, -0f, Float.NaN, random.nextFloat()).get(random.nextInt(4));
      case "double" -> List.of(0d, -0d, Double.NaN, random.nextDouble()).get(random.nextInt(4));
      case "string" -> UTF8String.fromString("x".repeat(random.nextInt(20)));
      case "binary" -> new byte[random.nextInt(20)];
      default ->
        type.equals(DataTypes.createDecimalType(10, 2))
            ? Decimal.apply(BigDecimal.valueOf(random.nextInt(), 2), 10, 2)
            : Decimal.apply(BigDecimal.valueOf(random.nextLong(), 4), 38, 4);
    };
  }
}
