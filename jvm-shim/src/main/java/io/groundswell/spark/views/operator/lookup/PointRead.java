package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.view.ViewTables;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;

/** Reads the rows of one key from a view or an index, outside of any barrier. */
public final class PointRead {
  private final DataType[] types;
  private final byte[] key;
  private final int hash;
  private final boolean hasNull;

  /**
   * @param values of the key columns, in Catalyst's form; of an index perhaps of the first only
   * @param index whether it is a key of an index, not of a view
   */
  public PointRead(DataType[] types, Object[] values, boolean index) {
    this.types = types;
    List<Column> columns = new ArrayList<>();
    for (DataType type : types) {
      columns.add(new Column("k" + columns.size(), "k" + columns.size(), type, true));
    }
    Projections code = new Projections();
    int[] all = Projections.all(types.length);
    RowKeys keys = index ? RowKeys.ofIndex(code, columns, all) : new RowKeys(code, columns, all);
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

  /** All rows of that index key, or of the keys that begin with it; null equals nothing. */
  public List<InternalRow> ofIndex(Snapshot snapshot, IndexLayout layout) {
    TableSpec table = snapshot.table(IndexRows.ROWS);
    List<InternalRow> rows = new ArrayList<>();
    if (table == null || hasNull) {
      return rows;
    }
    boolean whole = layout.index().length == types.length;
    byte[] prefix = whole
        ? ByteBuffer.allocate(Integer.BYTES + key.length).putInt(key.length).put(key).array()
        : new byte[0];
    UnsafeRow wanted = new UnsafeRow(types.length);
    wanted.pointTo(key, key.length);
    Projections code = new Projections();
    UnsafeProjection columns = layout.select(code, Projections.all(layout.columns().size()));
    try (RowCursor cursor = snapshot.prefix(table, hash, prefix, 0, prefix.length)) {
      while (cursor.next()) {
        InternalRow row = IndexRows.stored(layout, cursor.key(), cursor.value());
        if (whole || begins(row, wanted)) {
          rows.add(columns.apply(row).copy());
        }
      }
    }
    code.release();
    return rows;
  }

  private boolean begins(InternalRow indexKey, UnsafeRow wanted) {
    for (int i = 0; i < types.length; i++) {
      if (!Objects.deepEquals(indexKey.get(i, types[i]), wanted.get(i, types[i]))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Looks at the first rows of an index, which stand in the order of a hash, so are a fair sample:
   * the rows seen and the index keys among them.
   */
  public static long[] sample(Snapshot snapshot, int limit) {
    TableSpec table = snapshot.table(IndexRows.ROWS);
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

  /** Hash of a key → number of its rows, about, of keys with very many. */
  public static Map<Integer, Long> frequent(Snapshot snapshot) {
    TableSpec table = snapshot.table(FrequentKeys.TABLE);
    Map<Integer, Long> found = new LinkedHashMap<>();
    if (table != null) {
      try (RowCursor cursor = snapshot.scan(table)) {
        while (cursor.next()) {
          FrequentKeys.read(cursor.value())
              .forEach((hash, count) -> found.put(hash, (long) count * FrequentKeys.EVERY));
        }
      }
    }
    return found;
  }

  private static InternalRow copy(Slice value, int fields) {
    UnsafeRow row = new UnsafeRow(fields);
    StateTable.point(row, value);
    return row.copy();
  }
}
