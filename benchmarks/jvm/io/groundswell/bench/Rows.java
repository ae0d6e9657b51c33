package io.groundswell.bench;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The data: {@code rows} keys of 40 bytes and values of 88, a function of the row's number alone.
 *
 * <p>Present keys have even numbers, absent ones odd numbers between them. Ten successive rows
 * share the first column, which is what prefix scans bind.
 */
final class Rows {
  static final int ROWS_PER_PREFIX = 10;

  static final StructType KEY =
      new StructType().add("group", DataTypes.LongType, false).add("item", DataTypes.StringType);
  static final StructType PREFIX = new StructType().add("group", DataTypes.LongType, false);
  static final StructType VALUE = new StructType()
                                      .add("count", DataTypes.LongType, false)
                                      .add("sum", DataTypes.DoubleType, false)
                                      .add("text", DataTypes.StringType);

  private static final int TEXT = 56;
  private static final byte[] ALPHABET = "abcdefghijklmnopqrstuvwxyz012345".getBytes();
  // Prime, and larger than any number of rows, hence coprime to it.
  private static final long STEP = 2_147_483_647L;

  private final long rows;
  private final UnsafeRowWriter key = new UnsafeRowWriter(2, 32);
  private final UnsafeRowWriter prefix = new UnsafeRowWriter(1, 0);
  private final UnsafeRowWriter value = new UnsafeRowWriter(3, 64);
  private final byte[] text = new byte[TEXT];

  Rows(long rows) {
    this.rows = rows;
  }

  /** The {@code i}-th row to be loaded: each number below {@code rows} once, in scattered order. */
  long scattered(long i) {
    return i * STEP % rows;
  }

  UnsafeRow presentKey(long number) {
    return key(2 * number);
  }

  UnsafeRow absentKey(long number) {
    return key(2 * number + 1);
  }

  private UnsafeRow key(long number) {
    key.reset();
    key.zeroOutNullBytes();
    key.write(0, group(number / 2));
    key.write(1, UTF8String.fromString(String.format("item-%010d", number)));
    return key.getRow();
  }

  UnsafeRow prefix(long group) {
    prefix.reset();
    prefix.zeroOutNullBytes();
    prefix.write(0, group(group * ROWS_PER_PREFIX));
    return prefix.getRow();
  }

  /** Neighbouring groups are far from each other in any byte order, as hashed ids are. */
  private static long group(long number) {
    return number / ROWS_PER_PREFIX * 0x9E3779B97F4A7C15L;
  }

  UnsafeRow value(long number) {
    long random = number;
    for (int i = 0; i < TEXT; i++) {
      if (i % 12 == 0) {
        random = mix(random + i);
      }
      text[i] = ALPHABET[(int) (random >>> (5 * (i % 12))) & 31];
    }
    value.reset();
    value.zeroOutNullBytes();
    value.write(0, number);
    value.write(1, number * 0.25);
    value.write(2, text);
    return value.getRow();
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
