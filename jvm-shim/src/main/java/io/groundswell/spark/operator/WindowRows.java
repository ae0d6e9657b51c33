package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The rows of a window's partitions. Table, by the hash of the partition: length of the partition's
 * key (4 bytes) | the partition's key | order columns and stream key, encoded to sort → row. So the
 * rows of a partition stand together, in order; ties in the order of their stream keys.
 */
final class WindowRows {
  private final StateTable table;
  private final int width;
  private final OrderEncoding order;
  private final OrderEncoding full;
  private final RankLimit limit; // null: all rows matter
  private final ByteWriter scratch = new ByteWriter();

  WindowRows(Transaction tx, List<Column> input, List<OrderEncoding.Key> order,
      List<OrderEncoding.Key> key, RankLimit limit, OperatorCounters counters) {
    this.table = StateTable.hashed(tx, "rows", counters);
    this.width = input.size();
    this.order = new OrderEncoding(input, order);
    List<OrderEncoding.Key> all = new ArrayList<>(order);
    all.addAll(key);
    this.full = new OrderEncoding(input, all);
    this.limit = limit;
  }

  /**
   * What a query sees of a partition.
   *
   * @param beyond the key of the first row that it does not see; null if it sees all
   */
  record View(List<UnsafeRow> rows, byte[] beyond) {}

  /**
   * The rows before and after the changes, which are written; null if no row it sees is touched.
   */
  List<UnsafeRow>[] change(int hash, UnsafeRow partition, ChangeBuffer changes) {
    TreeMap<byte[], UnsafeRow> all = limit == null ? new TreeMap<>(Arrays::compareUnsigned) : null;
    View before = read(hash, partition, all);
    boolean touched = false;
    // Deletes first: a row may take the place of another.
    for (ChangeBuffer.Change change : changes.net()) {
      if (change.before() != null) {
        key(partition, full, change.before());
        touched |= isSeen(before);
        table.delete(hash, scratch.bytes, scratch.length);
        if (all != null) {
          all.remove(scratch.copy(0));
        }
      }
    }
    for (ChangeBuffer.Change change : changes.net()) {
      if (change.after() != null) {
        key(partition, full, change.after());
        touched |= isSeen(before);
        table.put(hash, scratch.bytes, scratch.length, change.after());
        if (all != null) {
          all.put(scratch.copy(0), change.after());
        }
      }
    }
    if (!touched) {
      return null;
    }
    List<UnsafeRow> after =
        all != null ? new ArrayList<>(all.values()) : read(hash, partition, null).rows();
    @SuppressWarnings({"unchecked", "rawtypes"})
    List<UnsafeRow>[] both = new List[] {before.rows(), after};
    return both;
  }

  private boolean isSeen(View view) {
    return view.beyond() == null
        || Arrays.compareUnsigned(
               scratch.bytes, 0, scratch.length, view.beyond(), 0, view.beyond().length)
        < 0;
  }

  private View read(int hash, UnsafeRow partition, Map<byte[], UnsafeRow> keyed) {
    List<UnsafeRow> rows = new ArrayList<>();
    RankLimit.Counter counter = limit == null ? null : limit.counter();
    byte[] last = null;
    prefix(partition);
    try (RowCursor cursor = table.prefix(hash, scratch.bytes, scratch.length)) {
      while (table.read(cursor)) {
        UnsafeRow row = new UnsafeRow(width);
        StateTable.point(row, cursor.value());
        if (counter != null) {
          key(partition, order, row);
          byte[] rank = scratch.copy(0);
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

  private void key(UnsafeRow partition, OrderEncoding encoding, UnsafeRow row) {
    prefix(partition);
    encoding.write(row, scratch);
  }

  private void prefix(UnsafeRow partition) {
    scratch.clear();
    scratch.putInt(partition.getSizeInBytes());
    scratch.putBytes(
        StateTable.bytes(partition), StateTable.offset(partition), partition.getSizeInBytes());
  }
}
