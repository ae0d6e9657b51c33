package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.key.TableSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;

/** Reads the rows of one key from a view or an index, outside of any barrier. */
public final class PointRead {
  private final byte[] key;
  private final int hash;
  private final boolean hasNull;

  /** Values of the key columns, in Catalyst's form. */
  public PointRead(DataType[] types, Object[] values) {
    List<Column> columns = new ArrayList<>();
    for (DataType type : types) {
      columns.add(new Column("k" + columns.size(), "k" + columns.size(), type, true));
    }
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, columns, Projections.all(types.length));
    UnsafeRow row = keys.of(new GenericInternalRow(values));
    this.key = row.getBytes();
    this.hash = keys.hash(row);
    this.hasNull = row.anyNull();
    code.release();
  }

  /** Where the rows of the key are. */
  public int partition(int partitions) {
    return Math.floorMod(hash, partitions);
  }

  /** The view's row of that stream key, if there is one. */
  public List<InternalRow> ofView(Snapshot snapshot, int fields) {
    TableSpec table = snapshot.table(ViewTables.ROWS);
    Slice value = new Slice();
    if (table == null || !snapshot.get(table, hash, key, 0, key.length, value)) {
      return List.of();
    }
    return List.of(copy(value, fields));
  }

  /** All rows of that index key; null equals nothing. */
  public List<InternalRow> ofIndex(Snapshot snapshot, int fields) {
    TableSpec table = snapshot.table(ArrangeOperator.ROWS);
    List<InternalRow> rows = new ArrayList<>();
    if (table == null || hasNull) {
      return rows;
    }
    ByteBuffer prefix = ByteBuffer.allocate(Integer.BYTES + key.length);
    byte[] bytes = prefix.putInt(key.length).put(key).array();
    try (RowCursor cursor = snapshot.prefix(table, hash, bytes, 0, bytes.length)) {
      while (cursor.next()) {
        rows.add(copy(cursor.value(), fields));
      }
    }
    return rows;
  }

  /**
   * Looks at the first rows of an index, which stand in the order of a hash, so are a fair sample:
   * the rows seen and the index keys among them.
   */
  public static long[] sample(Snapshot snapshot, int limit) {
    TableSpec table = snapshot.table(ArrangeOperator.ROWS);
    long[] seen = new long[2];
    if (table == null) {
      return seen;
    }
    byte[] last = new byte[0];
    try (RowCursor cursor = snapshot.scan(table)) {
      while (seen[0] < limit && cursor.next()) {
        Slice at = cursor.key();
        ByteBuffer entry = ByteBuffer.wrap(at.bytes, at.offset, at.length);
        byte[] indexKey = new byte[entry.getInt()];
        entry.get(indexKey);
        seen[0]++;
        seen[1] += java.util.Arrays.equals(indexKey, last) ? 0 : 1;
        last = indexKey;
      }
    }
    return seen;
  }

  private static InternalRow copy(Slice value, int fields) {
    UnsafeRow row = new UnsafeRow(fields);
    StateTable.point(row, value);
    return row.copy();
  }
}
