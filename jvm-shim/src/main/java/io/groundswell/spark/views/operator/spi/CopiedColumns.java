package io.groundswell.spark.views.operator.spi;

import io.groundswell.spark.shims.ValueKind;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/**
 * Copies columns by position without generated code, until it has copied many rows: then it has
 * Spark generate the code for it.
 *
 * <p>To compile a class takes a process that has just begun some ten milliseconds, and a pipeline
 * has hundreds of these. One that copies a few rows never earns that; for one that copies many,
 * code for these columns alone is faster than this loop, which serves all. Both write with Spark's
 * writer, so their rows have the same bytes.
 */
final class CopiedColumns extends UnsafeProjection {
  /** So many rows are copied without generated code. */
  static final int FEW = 20_000;

  private record Copied(ValueKind kind, int from, int precision, int scale) {}

  private final Copied[] columns;
  private final UnsafeRowWriter writer;
  private final Supplier<UnsafeProjection> generate;
  private UnsafeProjection generated;
  private int rows;

  private CopiedColumns(Copied[] columns, Supplier<UnsafeProjection> generate) {
    this.columns = columns;
    this.writer = new UnsafeRowWriter(columns.length, columns.length * 16);
    this.generate = generate;
  }

  /**
   * A projection of columns.
   *
   * @param types of the columns that it gives
   * @param positions where each is in its input
   * @param generate makes the same of generated code
   */
  static UnsafeProjection of(
      DataType[] types, int[] positions, Supplier<UnsafeProjection> generate) {
    Copied[] columns = new Copied[types.length];
    for (int i = 0; i < types.length; i++) {
      ValueKind kind = ValueKind.of(types[i]);
      if (kind == ValueKind.STRUCT || kind == ValueKind.OTHER) {
        return generate.get();
      }
      DecimalType decimal = types[i] instanceof DecimalType known ? known : null;
      columns[i] = new Copied(kind, positions[i], decimal == null ? 0 : decimal.precision(),
          decimal == null ? 0 : decimal.scale());
    }
    return new CopiedColumns(columns, generate);
  }

  @Override
  public UnsafeRow apply(InternalRow row) {
    if (generated != null) {
      return generated.apply(row);
    }
    if (++rows > FEW) {
      generated = generate.get();
      return generated.apply(row);
    }
    writer.reset();
    writer.zeroOutNullBytes();
    for (int i = 0; i < columns.length; i++) {
      if (row.isNullAt(columns[i].from)) {
        writeNull(i, columns[i]);
      } else {
        write(i, columns[i], row);
      }
    }
    return writer.getRow();
  }

  private void writeNull(int i, Copied column) {
    if (column.precision > Decimal.MAX_LONG_DIGITS()) {
      writer.write(i, (Decimal) null, column.precision, column.scale); // it keeps its place
    } else {
      writer.setNullAt(i);
    }
  }

  private void write(int i, Copied column, InternalRow row) {
    int from = column.from;
    switch (column.kind) {
      case BOOLEAN -> writer.write(i, row.getBoolean(from));
      case BYTE -> writer.write(i, row.getByte(from));
      case SHORT -> writer.write(i, row.getShort(from));
      case INT -> writer.write(i, row.getInt(from));
      case LONG -> writer.write(i, row.getLong(from));
      case FLOAT -> writer.write(i, row.getFloat(from));
      case DOUBLE -> writer.write(i, row.getDouble(from));
      case DECIMAL ->
        writer.write(i, row.getDecimal(from, column.precision, column.scale), column.precision,
            column.scale);
      case STRING -> writer.write(i, row.getUTF8String(from));
      case BINARY -> writer.write(i, row.getBinary(from));
      case STRUCT, OTHER -> throw new IllegalStateException("generated code copies " + column);
    }
  }
}
