package io.groundswell.spark.store.encoding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RangeKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPostfixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class KeyCodecTest {
  private final long seed = System.nanoTime();
  private final RandomRows rows = new RandomRows(seed);

  private static KeyCodec codec(KeyStateEncoderSpec spec) {
    return KeyCodecs.create(spec, "default", "default");
  }

  private static RangeKeyScanStateEncoderSpec range(StructType schema, Integer... ordinals) {
    List<Object> boxed = List.of((Object[]) ordinals);
    return new RangeKeyScanStateEncoderSpec(schema, CollectionConverters.asScala(boxed).toSeq());
  }

  private void assertRoundTrip(KeyStateEncoderSpec spec) {
    KeyCodec codec = codec(spec);
    for (int i = 0; i < 20; i++) {
      UnsafeRow row = rows.row(spec.keySchema());
      codec.encode(row);
      // Encoded keys arrive somewhere inside a larger array.
      byte[] around = new byte[codec.length + 20];
      System.arraycopy(codec.bytes, codec.offset, around, 9, codec.length);
      UnsafeRow back = codec.decode(around, 9, codec.length);
      assertArrayEquals(row.getBytes(), back.getBytes(), "seed " + seed + ", " + spec);
    }
  }

  @Test
  void everyCodecGivesTheRowBack() {
    for (int i = 0; i < 60; i++) {
      StructType schema = rows.schema(2 + rows.random.nextInt(6));
      assertRoundTrip(new NoPrefixKeyStateEncoderSpec(schema));
      int prefix = 1 + rows.random.nextInt(schema.length() - 1);
      assertRoundTrip(new PrefixKeyScanStateEncoderSpec(schema, prefix));
      StructType timed = schema.add("__event_time", DataTypes.LongType, false);
      assertRoundTrip(new TimestampAsPrefixKeyStateEncoderSpec(timed));
      assertRoundTrip(new TimestampAsPostfixKeyStateEncoderSpec(timed));
      assertRoundTrip(range(timed, schema.length()));
    }
  }

  @Test
  void rowsOfMoreThan64ColumnsAreSplitAndJoined() {
    StructType schema = rows.schema(150);
    for (int prefix : new int[] {1, 63, 64, 65, 100, 149}) {
      assertRoundTrip(new PrefixKeyScanStateEncoderSpec(schema, prefix));
    }
  }

  @Test
  void keysStartWithTheBytesOfTheProjectedPrefix() {
    for (int i = 0; i < 100; i++) {
      StructType schema = rows.schema(2 + rows.random.nextInt(6));
      int prefix = 1 + rows.random.nextInt(schema.length() - 1);
      KeyCodec codec = codec(new PrefixKeyScanStateEncoderSpec(schema, prefix));
      UnsafeRow row = rows.row(schema);
      codec.encode(row);
      final byte[] key = codec.copy();
      final int hash = codec.hash;
      codec.encodePrefix(projected(row, schema, prefix));
      assertArrayEquals(codec.copy(), Arrays.copyOf(key, codec.length), "seed " + seed);
      assertEquals(hash, codec.hash, "seed " + seed);
    }
  }

  private static UnsafeRow projected(UnsafeRow row, StructType schema, int columns) {
    List<Expression> references = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      StructField field = schema.fields()[i];
      references.add(new BoundReference(i, field.dataType(), field.nullable()));
    }
    return UnsafeProjection.create(CollectionConverters.asScala(references).toSeq()).apply(row);
  }

  @Test
  void rangeKeysSortAsTheirColumnsDo() {
    StructType schema = new StructType()
                            .add("s", DataTypes.StringType)
                            .add("d", DataTypes.DoubleType)
                            .add("i", DataTypes.IntegerType)
                            .add("b", DataTypes.ByteType)
                            .add("t", DataTypes.TimestampType)
                            .add("z", DataTypes.BooleanType);
    for (Integer[] ordinals : new Integer[][] {{1}, {2, 1}, {3, 4}, {5, 2}, {4, 3, 2, 1}}) {
      KeyCodec codec = codec(range(schema, ordinals));
      assertEquals(TableSpec.Layout.ORDERED, codec.layout());
      List<UnsafeRow> sample = IntStream.range(0, 200).mapToObj(i -> rows.row(schema)).toList();
      for (int i = 1; i < sample.size(); i++) {
        UnsafeRow left = sample.get(i - 1);
        UnsafeRow right = sample.get(i);
        int expected = compare(left, right, schema, ordinals);
        int got = Arrays.compareUnsigned(encoded(codec, left), encoded(codec, right));
        if (expected != 0) {
          assertEquals(Integer.signum(expected), Integer.signum(got),
              "seed " + seed + ": " + left + " and " + right + " by " + Arrays.toString(ordinals));
        }
      }
    }
  }

  private static byte[] encoded(KeyCodec codec, UnsafeRow row) {
    codec.encode(row);
    return codec.copy();
  }

  /** Values in their natural order, nulls last. */
  @SuppressWarnings("unchecked")
  private static int compare(
      UnsafeRow left, UnsafeRow right, StructType schema, Integer[] ordinals) {
    for (int ordinal : ordinals) {
      Object a = left.get(ordinal, schema.fields()[ordinal].dataType());
      Object b = right.get(ordinal, schema.fields()[ordinal].dataType());
      int order = a == null || b == null ? Boolean.compare(a == null, b == null)
                                         : ((Comparable<Object>) a).compareTo(b);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  @Test
  void timesSortWithinOneKey() {
    StructType schema = new StructType()
                            .add("k", DataTypes.StringType, false)
                            .add("__event_time", DataTypes.LongType, false);
    KeyCodec codec = codec(new TimestampAsPostfixKeyStateEncoderSpec(schema));
    byte[] previous = null;
    for (long time : new long[] {Long.MIN_VALUE, -5, 0, 7, Long.MAX_VALUE}) {
      UnsafeRow row = UnsafeProjection.create(schema).apply(
          new org.apache.spark.sql.catalyst.expressions.GenericInternalRow(
              new Object[] {org.apache.spark.unsafe.types.UTF8String.fromString("key"), time}));
      byte[] key = encoded(codec, row);
      assertTrue(previous == null || Arrays.compareUnsigned(previous, key) < 0, "at " + time);
      previous = key;
    }
  }

  @Test
  void columnsOfVariableSizeCannotOrder() {
    StructType schema = new StructType().add("s", DataTypes.StringType);
    SparkThrowable error =
        (SparkThrowable) assertThrows(Exception.class, () -> codec(range(schema, 0)));
    assertEquals("STATE_STORE_VARIABLE_SIZE_ORDERING_COLS_NOT_SUPPORTED", error.getCondition());
  }

  @Test
  void rowsOfTheJoinShareTheHashOfTheirKey() {
    StructType schema =
        new StructType().add("k", DataTypes.StringType).add("index", DataTypes.LongType, false);
    KeyCodec codec = KeyCodecs.create(
        new NoPrefixKeyStateEncoderSpec(schema), "left-keyWithIndexToValue", "default");
    StructType joinKey = new StructType().add("k", DataTypes.StringType);
    for (int i = 0; i < 20; i++) {
      UnsafeRow row = rows.row(schema);
      codec.encode(row);
      assertEquals(PartitionHash.first(joinKey, 1).of(projected(row, schema, 1)), codec.hash);
    }
  }
}
