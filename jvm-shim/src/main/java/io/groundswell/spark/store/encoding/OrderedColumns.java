package io.groundswell.spark.store.encoding;

import io.groundswell.spark.shims.SparkErrors;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Fixed-width bytes of some columns that sort as their values do, nulls last: a marker (1 value, 2
 * null), then the number big-endian with its sign bit flipped; floating point by its raw bits,
 * negative numbers inverted.
 */
final class OrderedColumns {
  private static final byte VALUE = 1;
  private static final byte NULL = 2;

  private enum Kind { INTEGRAL, FLOAT, DOUBLE }

  private final int[] ordinals;
  private final Kind[] kinds;
  private final int[] widths;
  private final int size;

  OrderedColumns(StructType schema, int[] ordinals) {
    this.ordinals = ordinals;
    this.kinds = new Kind[ordinals.length];
    this.widths = new int[ordinals.length];
    int total = 0;
    for (int i = 0; i < ordinals.length; i++) {
      StructField field = schema.fields()[ordinals[i]];
      DataType type = field.dataType();
      if (type instanceof NullType) {
        throw SparkErrors.nullTypeOrdering(field.name(), i);
      } else if (!UnsafeRow.isFixedLength(type)) {
        throw SparkErrors.variableSizeOrdering(field.name(), i);
      }
      kinds[i] = type instanceof FloatType ? Kind.FLOAT
          : type instanceof DoubleType     ? Kind.DOUBLE
                                           : Kind.INTEGRAL;
      widths[i] = type.defaultSize();
      total += 1 + widths[i];
    }
    this.size = total;
  }

  int size() {
    return size;
  }

  /** Columns of a whole key row. */
  int write(UnsafeRow row, byte[] out, int at) {
    int position = at;
    for (int i = 0; i < ordinals.length; i++) {
      position = column(row, ordinals[i], i, out, position);
    }
    return position;
  }

  /** Columns of a row that holds the ordering columns alone. */
  int writePrefix(UnsafeRow prefix, byte[] out, int at) {
    int position = at;
    for (int i = 0; i < prefix.numFields(); i++) {
      position = column(prefix, i, i, out, position);
    }
    return position;
  }

  private int column(UnsafeRow row, int ordinal, int i, byte[] out, int at) {
    int width = widths[i];
    boolean missing = row.isNullAt(ordinal);
    out[at] = missing ? NULL : VALUE;
    long bits = missing ? 0 : sortable(row, ordinal, i);
    for (int k = 0; k < width; k++) {
      out[at + 1 + k] = (byte) (bits >>> 8 * (width - 1 - k));
    }
    return at + 1 + width;
  }

  private long sortable(UnsafeRow row, int ordinal, int i) {
    return switch (kinds[i]) {
      case FLOAT -> {
        int bits = Float.floatToRawIntBits(row.getFloat(ordinal));
        yield bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE;
      }
      case DOUBLE -> {
        long bits = Double.doubleToRawLongBits(row.getDouble(ordinal));
        yield bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
      }
      case INTEGRAL ->
        switch (widths[i]) {
          case 1 -> row.getByte(ordinal) ^ 0x80;
          case 2 -> row.getShort(ordinal) ^ 0x8000;
          case 4 -> row.getInt(ordinal) ^ Integer.MIN_VALUE;
          default -> row.getLong(ordinal) ^ Long.MIN_VALUE;
        };
    };
  }
}
