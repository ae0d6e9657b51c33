package io.groundswell.spark.views.operator.spi;

import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.Platform;

/**
 * Puts two rows side by side, in a buffer of its own.
 *
 * <p>The result has the same bytes as that of Spark's generated joiner, which is a class for each
 * pair of schemas: to compile these is a large part of what the first barrier of a process costs.
 * All that differs between schemas are two numbers of columns, and which of them are offsets.
 */
final class RowJoiner extends UnsafeRowJoiner {
  private static final int WORD = Long.BYTES;

  private final int left;
  private final int right;
  private final int leftBits;
  private final int rightBits;
  private final int bits;
  private final int[] leftOffsets;
  private final int[] rightOffsets;
  private final UnsafeRow joined;
  private byte[] buffer;

  RowJoiner(DataType[] left, DataType[] right) {
    this.left = left.length;
    this.right = right.length;
    this.leftBits = UnsafeRow.calculateBitSetWidthInBytes(left.length);
    this.rightBits = UnsafeRow.calculateBitSetWidthInBytes(right.length);
    this.bits = UnsafeRow.calculateBitSetWidthInBytes(left.length + right.length);
    this.leftOffsets = offsets(left);
    this.rightOffsets = offsets(right);
    this.joined = new UnsafeRow(left.length + right.length);
    this.buffer = new byte[bits + (left.length + right.length) * WORD];
  }

  /** The columns whose word says where their value is. */
  private static int[] offsets(DataType[] types) {
    return IntStream.range(0, types.length)
        .filter(i -> !UnsafeRow.isFixedLength(types[i]))
        .toArray();
  }

  @Override
  public UnsafeRow join(UnsafeRow first, UnsafeRow second) {
    int leftValues = first.getSizeInBytes() - leftBits - left * WORD;
    int rightValues = second.getSizeInBytes() - rightBits - right * WORD;
    int words = bits + (left + right) * WORD;
    int size = words + leftValues + rightValues;
    if (size > buffer.length) {
      buffer = new byte[size];
    }
    joinNulls(first, second);
    long at = Platform.BYTE_ARRAY_OFFSET + bits;
    at = copy(first, leftBits, left * WORD, at);
    at = copy(second, rightBits, right * WORD, at);
    at = copy(first, leftBits + left * WORD, leftValues, at);
    copy(second, rightBits + right * WORD, rightValues, at);
    move(leftOffsets, 0, words - leftBits - left * WORD);
    move(rightOffsets, left, words + leftValues - rightBits - right * WORD);
    joined.pointTo(buffer, size);
    return joined;
  }

  private long copy(UnsafeRow from, int at, int length, long to) {
    Platform.copyMemory(from.getBaseObject(), from.getBaseOffset() + at, buffer, to, length);
    return to + length;
  }

  /** The second row's bits come right behind those of the first. */
  private void joinNulls(UnsafeRow first, UnsafeRow second) {
    int shift = left % Long.SIZE;
    int begin = left / Long.SIZE;
    for (int word = 0; word < bits / WORD; word++) {
      long value = nulls(first, leftBits, word) | nulls(second, rightBits, word - begin) << shift;
      if (shift > 0) {
        value |= nulls(second, rightBits, word - begin - 1) >>> Long.SIZE - shift;
      }
      Platform.putLong(buffer, Platform.BYTE_ARRAY_OFFSET + (long) word * WORD, value);
    }
  }

  private static long nulls(UnsafeRow row, int length, int word) {
    return word < 0 || word * WORD >= length
        ? 0
        : Platform.getLong(row.getBaseObject(), row.getBaseOffset() + (long) word * WORD);
  }

  /** Values are so much further behind their row's beginning; a null has no value to move. */
  private void move(int[] columns, int first, int distance) {
    for (int column : columns) {
      long word = Platform.BYTE_ARRAY_OFFSET + bits + (long) (first + column) * WORD;
      long value = Platform.getLong(buffer, word);
      if (value != 0) {
        Platform.putLong(buffer, word, value + ((long) distance << Integer.SIZE));
      }
    }
  }
}
