package io.groundswell.spark.views.operator.state;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils;
import org.apache.spark.sql.types.DataType;

/** The keys of rows: their bytes, partition hash and text. Made once a run. */
public final class RowKeys {
  private final List<Column> columns;
  private final int[] positions;
  private final DataType[] types;
  private final UnsafeProjection key;
  private final UnsafeProjection hash;

  public RowKeys(Projections code, List<Column> columns, int[] positions) {
    this(code, columns, positions, positions.length);
  }

  /** Keys of an index: they are placed by their first column, so that it can be read by itself. */
  public static RowKeys ofIndex(Projections code, List<Column> columns, int[] positions) {
    return new RowKeys(code, columns, positions, 1);
  }

  private RowKeys(Projections code, List<Column> columns, int[] positions, int placing) {
    this.columns = columns;
    this.positions = positions;
    this.types = Projections.types(columns, positions);
    this.key = code.key(columns, positions);
    this.hash = code.hash(Arrays.copyOf(types, placing));
  }

  /** Refuses, on the driver, keys whose equality is not that of their bytes. */
  public static void check(Refs refs, List<Column> columns, int[] positions) {
    for (int position : positions) {
      Column column = columns.get(position);
      if (!UnsafeRowUtils.isBinaryStable(column.type())) {
        throw refs.invalid("has the key column " + column.name() + " of type " + column.type().sql()
            + ", whose equal values differ in bytes: use the collation UTF8_BINARY");
      }
    }
  }

  public int width() {
    return positions.length;
  }

  DataType[] types() {
    return types;
  }

  /** The key of a row; reused by the next call. */
  public UnsafeRow of(InternalRow row) {
    return key.apply(row);
  }

  /** The partition hash of a key. */
  public int hash(UnsafeRow keyRow) {
    return hash.apply(keyRow).getInt(0);
  }

  public boolean hasNull(UnsafeRow keyRow) {
    return keyRow.anyNull();
  }

  /** As {@code {id=3, name=x}}. */
  public String text(UnsafeRow keyRow) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < positions.length; i++) {
      Object value = keyRow.get(i, types[i]);
      parts.add(columns.get(positions[i]).name() + "=" + Literal.create(value, types[i]));
    }
    return "{" + String.join(", ", parts) + "}";
  }

  public static EngineException inconsistent(String what) {
    return new EngineException(ErrorCode.INCONSISTENT_CHANGELOG, what);
  }
}
