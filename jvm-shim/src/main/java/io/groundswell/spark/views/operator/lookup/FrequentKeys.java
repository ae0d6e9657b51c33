package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.PartitionMove;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.StateTable;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * Which keys of an index's partition have very many rows, about. One row in {@link #EVERY}, chosen
 * by its stream key, so the same when it comes and when it goes, is counted under the hash of its
 * index key, by the algorithm of Misra and Gries (Finding repeated elements, 1982): with {@link
 * #CAPACITY} counters, a key that has a greater share than one in CAPACITY + 1 of the rows has one.
 *
 * <p>Table {@code frequent}: one row of pairs of hash and count, 4 bytes each. Barriers that touch
 * no such row read and write nothing.
 */
final class FrequentKeys {
  static final String TABLE = "frequent";
  static final int EVERY = 64;
  static final int CAPACITY = 64;
  private static final byte[] KEY = {0};
  private static final int SEED = 0x6b657973;

  private final Transaction tx;
  private final OperatorCounters counters;
  private final Map<Integer, Integer> counts = new LinkedHashMap<>();
  private StateTable table;

  FrequentKeys(Transaction tx, OperatorCounters counters) {
    this.tx = tx;
    this.counters = counters;
  }

  /** Takes the changes of one index key. */
  void add(int hash, ChangeBuffer changes) {
    for (ChangeBuffer.Change change : changes.changes()) {
      if (change.deletes() != change.inserts() && isSampled(change.key())) {
        load();
        count(hash, change.inserts());
      }
    }
  }

  private static boolean isSampled(UnsafeRow key) {
    int hash = Murmur3_x86_32.hashUnsafeBytes2(
        key.getBaseObject(), key.getBaseOffset(), key.getSizeInBytes(), SEED);
    return Math.floorMod(hash, EVERY) == 0;
  }

  private void load() {
    if (table != null) {
      return;
    }
    table = StateTable.ordered(tx, TABLE, false, counters);
    Slice found = table.get(0, KEY, KEY.length);
    if (found != null) {
      counts.putAll(read(found));
    }
  }

  private void count(int hash, boolean inserted) {
    if (!inserted) {
      counts.computeIfPresent(hash, (key, count) -> count == 1 ? null : count - 1);
    } else if (counts.containsKey(hash) || counts.size() < CAPACITY) {
      counts.merge(hash, 1, Integer::sum);
    } else {
      counts.replaceAll((key, count) -> count - 1);
      counts.values().removeIf(count -> count == 0);
    }
  }

  /** Writes what has changed. */
  void write() {
    if (table == null) {
      return;
    }
    byte[] value = row(counts);
    table.put(0, KEY, KEY.length, value, value.length);
  }

  private static byte[] row(Map<Integer, Integer> counts) {
    ByteBuffer value = ByteBuffer.allocate(2 * Integer.BYTES * counts.size() + 1).put((byte) 1);
    counts.forEach((hash, count) -> value.putInt(hash).putInt(count));
    return value.array();
  }

  /** Of the counts of all partitions before those whose hashes the new one gets, the largest. */
  static void move(PartitionMove move, String table) {
    Map<Integer, Integer> counts = new LinkedHashMap<>();
    move.each(table, any -> true, (partition, row) -> read(row.value()).forEach((hash, count) -> {
      if (move.isMine(hash)) {
        counts.merge(hash, count, Integer::sum);
      }
    }));
    if (counts.isEmpty()) {
      return;
    }
    Map<Integer, Integer> largest = new LinkedHashMap<>();
    counts.entrySet()
        .stream()
        .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
        .limit(CAPACITY)
        .forEach(entry -> largest.put(entry.getKey(), entry.getValue()));
    Slice value = new Slice();
    byte[] bytes = row(largest);
    value.set(bytes, 0, bytes.length);
    move.write(move.create(table), 0, KEY, 0, KEY.length, value);
  }

  /** Hash of the index key → sampled rows. */
  static Map<Integer, Integer> read(Slice row) {
    Map<Integer, Integer> counts = new LinkedHashMap<>();
    ByteBuffer value = ByteBuffer.wrap(row.bytes, row.offset + 1, row.length - 1);
    while (value.hasRemaining()) {
      int hash = value.getInt();
      counts.put(hash, value.getInt());
    }
    return counts;
  }
}
