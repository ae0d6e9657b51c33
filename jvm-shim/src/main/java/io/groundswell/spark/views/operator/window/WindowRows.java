package io.groundswell.spark.views.operator.window;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.rank.RankLimit;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Partitions that are read whole, or up to the last row that a query looks at. Table {@code rows},
 * by the hash of the partition: {@link WindowKeys} → row.
 */
final class WindowRows implements WindowState {
  private final StateTable table;
  private final int width;
  private final WindowKeys keys;
  private final RankLimit limit; // null: all rows matter

  WindowRows(
      Transaction tx, int width, WindowKeys keys, RankLimit limit, OperatorCounters counters) {
    this.table = StateTable.hashed(tx, "rows", counters);
    this.width = width;
    this.keys = keys;
    this.limit = limit;
    keys.clean(table);
  }

  /**
   * What a query sees of a partition.
   *
   * @param beyond the key of the first row that it does not see; null if it sees all
   */
  private record View(List<UnsafeRow> rows, byte[] beyond) {
    boolean has(byte[] key) {
      return beyond == null || Arrays.compareUnsigned(key, beyond) < 0;
    }
  }

  /** One slice; none if no row that the query sees is touched. */
  @Override
  public List<Slice> change(int hash, UnsafeRow partition, ChangeBuffer changes) {
    TreeMap<byte[], UnsafeRow> all = limit == null ? new TreeMap<>(Arrays::compareUnsigned) : null;
    View before = read(hash, partition, all);
    boolean touched = false;
    // Deletes first: a row may take the place of another.
    for (ChangeBuffer.Change change : changes.net()) {
      if (change.before() != null) {
        byte[] key = keys.of(partition, change.before());
        touched |= before.has(key);
        table.delete(hash, key, key.length);
        if (all != null) {
          all.remove(key);
        }
      }
    }
    for (ChangeBuffer.Change change : changes.net()) {
      if (change.after() != null) {
        byte[] key = keys.of(partition, change.after());
        touched |= before.has(key);
        table.put(hash, key, key.length, change.after());
        if (all != null) {
          all.put(key, change.after());
        }
      }
    }
    if (!touched) {
      Mark.CHANGE_OUT_OF_SIGHT.hit();
      return List.of();
    }
    List<UnsafeRow> after =
        all != null ? new ArrayList<>(all.values()) : read(hash, partition, null).rows();
    return List.of(new Slice(before.rows(), after));
  }

  private View read(int hash, UnsafeRow partition, TreeMap<byte[], UnsafeRow> keyed) {
    List<UnsafeRow> rows = new ArrayList<>();
    RankLimit.Counter counter = limit == null ? null : limit.counter();
    byte[] last = null;
    byte[] prefix = keys.prefix(partition);
    try (RowCursor cursor = table.prefix(hash, prefix, prefix.length)) {
      while (table.read(cursor)) {
        UnsafeRow row = new UnsafeRow(width);
        StateTable.point(row, cursor.value());
        if (counter != null) {
          byte[] rank = keys.rank(row);
          if (!counter.admits(Arrays.equals(rank, last))) {
            return new View(rows, cursor.key().copy());
          }
          last = rank;
        }
        rows.add(row);
        if (keyed != null) {
          keyed.put(cursor.key().copy(), row);
        }
      }
    }
    return new View(rows, null);
  }
}
