package io.groundswell.spark.views.operator.recursion;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;

/** Keys and values of the rows that a recursion gives; each is reused by the next call. */
final class ResultRows {
  /** The value of a row that is all key. */
  static final UnsafeRow NOTHING = new UnsafeRow(1);

  static {
    NOTHING.pointTo(new byte[16], 16);
  }

  private final UnsafeRowJoiner joiner;
  private final UnsafeRow numbers = new UnsafeRow(2);
  private final UnsafeRow row = new UnsafeRow(1);

  /**
   * @param joiner puts a key beside two integers
   */
  ResultRows(UnsafeRowJoiner joiner) {
    this.joiner = joiner;
    numbers.pointTo(new byte[24], 24);
  }

  /**
   * @param number tells equal rows of a level apart
   */
  UnsafeRow key(UnsafeRow of, int level, long number) {
    numbers.setInt(0, level);
    numbers.setInt(1, Math.toIntExact(number));
    return joiner.join(of, numbers);
  }

  UnsafeRow row(byte[] bytes) {
    row.pointTo(bytes, bytes.length);
    return row;
  }
}
