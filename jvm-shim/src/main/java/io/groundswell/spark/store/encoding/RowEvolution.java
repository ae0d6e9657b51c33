package io.groundswell.spark.store.encoding;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/** Reads rows of older schemas as rows of the newest; they are rewritten when they are put. */
public final class RowEvolution implements RowReader {
  private final StructType newest;
  private final IntSupplier newestId;
  private final IntFunction<StructType> schemas;
  private final Map<Integer, StructType> older = new HashMap<>();
  private UnsafeProjection projection;
  private int schemaId = -1;

  /**
   * @param newest what rows are read as
   * @param newestId its number; asked for once, when there are rows
   * @param schemas the schema of any number that was ever in use
   */
  public RowEvolution(StructType newest, IntSupplier newestId, IntFunction<StructType> schemas) {
    this.newest = newest;
    this.newestId = newestId;
    this.schemas = schemas;
  }

  @Override
  public int schemaId() {
    if (schemaId < 0) {
      schemaId = newestId.getAsInt();
    }
    return schemaId;
  }

  @Override
  public UnsafeRow read(byte[] bytes, int offset, int length, int writtenWith) {
    if (writtenWith == schemaId()) {
      return RowBytes.row(bytes, offset, length, newest.length());
    }
    StructType schema = older.computeIfAbsent(writtenWith, schemas::apply);
    UnsafeRow row = RowBytes.row(bytes, offset, length, schema.length());
    if (projection == null) {
      // A column that the row did not have yet is null, whatever the schema says.
      projection = UnsafeProjection.create(newest.asNullable());
    }
    return projection.apply((InternalRow) TypePromotion.convert(row, schema, newest)).copy();
  }
}
