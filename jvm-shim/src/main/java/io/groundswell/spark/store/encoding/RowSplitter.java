package io.groundswell.spark.store.encoding;

import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * Cuts the bytes of a row after its first {@code n} columns, and puts them together again.
 *
 * <p>The head is byte for byte the row that a projection to these columns would give, so a head
 * and a row that Spark made for a prefix scan compare as bytes. The tail is the null bits (if there
 * is a null), words and variable part of the other columns as they stood in the row; its offsets
 * are left alone, as they become right again once the row is whole. This works on rows whose
 * variable parts follow each other in column order, as Spark's row writer lays them out; others are
 * rewritten first.
 */
final class RowSplitter {
  private final StructType schema;
  private final int fields;
  private final int headFields;
  private final int tailFields;
  private final boolean[] variable;
  /** Bytes of null bits and words: of the row, of its head. */
  private final int rowFixed;
  private final int headFixed;
  private final int tailBits;
  private UnsafeProjection rewrite;

  RowSplitter(StructType schema, int headFields) {
    this.schema = schema;
    this.fields = schema.length();
    this.headFields = headFields;
    this.tailFields = fields - headFields;
    if (headFields <= 0 || tailFields <= 0) {
      throw new IllegalArgumentException(
          "a prefix of " + headFields + " columns does not split a key of " + fields);
    }
    this.variable = new boolean[fields];
    for (int i = 0; i < fields; i++) {
      DataType type = schema.fields()[i].dataType();
      variable[i] = !UnsafeRow.isFixedLength(type);
    }
    this.rowFixed = fixedBytes(fields);
    this.headFixed = fixedBytes(headFields);
    this.tailBits = UnsafeRow.calculateBitSetWidthInBytes(tailFields);
  }

  private static int fixedBytes(int fields) {
    return UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields;
  }

  /** The row, rewritten if it is not laid out in column order. */
  UnsafeRow canonical(UnsafeRow row) {
    return inOrder(row) ? row : rewritten(row);
  }

  private UnsafeRow rewritten(UnsafeRow row) {
    if (rewrite == null) {
      rewrite = UnsafeProjection.create(schema);
    }
    return rewrite.apply(row);
  }

  private boolean inOrder(UnsafeRow row) {
    int end = rowFixed;
    for (int i = 0; i < fields; i++) {
      long word = variable[i] ? row.getLong(i) : 0;
      if (word != 0) {
        int offset = (int) (word >>> 32);
        if (offset < end) {
          return false;
        }
        end = offset + (((int) word + 7) & ~7);
      }
    }
    return end <= row.getSizeInBytes();
  }

  /** Where the variable part of the head ends in the row. */
  private int headEnd(UnsafeRow row) {
    for (int i = headFields; i < fields; i++) {
      long word = variable[i] ? row.getLong(i) : 0;
      if (word != 0) {
        return (int) (word >>> 32);
      }
    }
    return row.getSizeInBytes();
  }

  int headBytes(UnsafeRow row) {
    return headFixed + headEnd(row) - rowFixed;
  }

  /** Whether a column of the tail is null: only then the tail begins with null bits. */
  boolean hasNullsInTail(UnsafeRow row) {
    if (fields <= 64) {
      return nullBits(row) >>> headFields != 0;
    }
    for (int i = headFields; i < fields; i++) {
      if (row.isNullAt(i)) {
        return true;
      }
    }
    return false;
  }

  private static long nullBits(UnsafeRow row) {
    return Platform.getLong(row.getBaseObject(), row.getBaseOffset());
  }

  int tailBytes(UnsafeRow row, boolean nulls) {
    return (nulls ? tailBits : 0) + 8 * tailFields + row.getSizeInBytes() - headEnd(row);
  }

  /** Writes the head of a canonical row at {@code at}; returns the position after it. */
  int writeHead(UnsafeRow row, byte[] out, int at) {
    copyNullBits(row, 0, headFields, out, at);
    int words = at + UnsafeRow.calculateBitSetWidthInBytes(headFields);
    long shift = (long) (headFixed - rowFixed) << 32;
    for (int i = 0; i < headFields; i++) {
      long word = row.getLong(i);
      RowBytes.putLong(out, words + 8 * i, variable[i] && word != 0 ? word + shift : word);
    }
    return copyTo(row, rowFixed, headEnd(row) - rowFixed, out, at + headFixed);
  }

  /** Writes the tail of a canonical row at {@code at}; returns the position after it. */
  int writeTail(UnsafeRow row, boolean nulls, byte[] out, int at) {
    if (nulls) {
      copyNullBits(row, headFields, tailFields, out, at);
    }
    int words = at + (nulls ? tailBits : 0);
    int end = copyTo(row, rowFixed - 8 * tailFields, 8 * tailFields, out, words);
    int headEnd = headEnd(row);
    return copyTo(row, headEnd, row.getSizeInBytes() - headEnd, out, end);
  }

  /** The row whose head and tail these are, in a new array. */
  UnsafeRow join(byte[] in, int head, int headLength, int tail, int tailLength, boolean nulls) {
    int tailWords = tail + (nulls ? tailBits : 0);
    int headVariable = headLength - headFixed;
    int tailVariable = tail + tailLength - tailWords - 8 * tailFields;
    byte[] row = new byte[rowFixed + headVariable + tailVariable];
    joinNullBits(in, head, headFields, 0, row);
    if (nulls) {
      joinNullBits(in, tail, tailFields, headFields, row);
    }
    int words = UnsafeRow.calculateBitSetWidthInBytes(fields);
    int headWords = head + UnsafeRow.calculateBitSetWidthInBytes(headFields);
    long shift = (long) (rowFixed - headFixed) << 32;
    for (int i = 0; i < headFields; i++) {
      long word = RowBytes.getLong(in, headWords + 8 * i);
      RowBytes.putLong(row, words + 8 * i, variable[i] && word != 0 ? word + shift : word);
    }
    System.arraycopy(in, tailWords, row, words + 8 * headFields, 8 * tailFields);
    System.arraycopy(in, head + headFixed, row, rowFixed, headVariable);
    System.arraycopy(in, tailWords + 8 * tailFields, row, rowFixed + headVariable, tailVariable);
    return RowBytes.row(row, 0, row.length, fields);
  }

  private static int copyTo(UnsafeRow row, int from, int length, byte[] out, int at) {
    Platform.copyMemory(row.getBaseObject(), row.getBaseOffset() + from, out,
        Platform.BYTE_ARRAY_OFFSET + (long) at, length);
    return at + length;
  }

  private void copyNullBits(UnsafeRow row, int from, int count, byte[] out, int at) {
    if (fields <= 64) {
      // Fewer than 64 columns stand on either side: the shift by count is a proper one.
      RowBytes.putLong(out, at, nullBits(row) >>> from & (1L << count) - 1);
      return;
    }
    for (int word = 0; word * 64 < count; word++) {
      long bits = 0;
      for (int i = word * 64; i < Math.min(count, word * 64 + 64); i++) {
        bits |= row.isNullAt(from + i) ? 1L << i : 0;
      }
      RowBytes.putLong(out, at + 8 * word, bits);
    }
  }

  /** Sets the null bits of {@code count} columns, which are columns {@code to} on of the row. */
  private void joinNullBits(byte[] in, int bits, int count, int to, byte[] row) {
    if (fields <= 64) {
      RowBytes.putLong(row, 0, RowBytes.getLong(row, 0) | RowBytes.getLong(in, bits) << to);
      return;
    }
    for (int i = 0; i < count; i++) {
      if ((RowBytes.getLong(in, bits + 8 * (i / 64)) >>> i & 1) != 0) {
        int at = 8 * ((to + i) / 64);
        RowBytes.putLong(row, at, RowBytes.getLong(row, at) | 1L << to + i);
      }
    }
  }
}
