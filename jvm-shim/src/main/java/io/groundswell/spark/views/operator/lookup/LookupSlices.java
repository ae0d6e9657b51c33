package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.StatePartitions;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * The index rows that one task of a lookup is to give: all of a key, or, of a key with very many,
 * the slice that its partition's number stands for. Such a key's rows stand in one partition, which
 * every task reads as it was; which slice a row belongs to is a hash of its stream key, so its
 * changes belong to the same.
 */
final class LookupSlices {
  private static final int SEED = 0x736c6963;

  private final StatePartitions states;
  private final Set<Integer> hot;
  private final IndexLayout layout;
  private final OperatorCounters counters;
  private final IndexRows own;
  private final Map<Integer, IndexRows> others = new HashMap<>();
  private IndexRows rows;
  private boolean sliced;

  /**
   * @param tx the task's own partition
   * @param states all partitions; may be null if no key is hot
   * @param hot hashes of the keys with very many rows
   */
  LookupSlices(Transaction tx, StatePartitions states, Set<Integer> hot, IndexLayout layout,
      OperatorCounters counters) {
    this.states = states;
    this.hot = hot;
    this.layout = layout;
    this.counters = counters;
    this.own = new IndexRows(tx, layout, null, counters);
  }

  /** Starts to read the rows of an index key. */
  void open(int hash, UnsafeRow key) {
    sliced = hot.contains(hash);
    rows = own;
    if (sliced) {
      int partition = Math.floorMod(hash, states.count());
      rows = partition == states.number()
          ? own
          : others.computeIfAbsent(
                partition, at -> new IndexRows(states.at(at), layout, null, counters));
    }
    rows.open(hash, key);
  }

  /** The next row that {@code changed} does not name, or null; reused. */
  InternalRow next(ChangeBuffer changed) {
    while (rows.next(changed)) {
      if (!sliced || isMine(rows.streamKey())) {
        return rows.row();
      }
    }
    return null;
  }

  void close() {
    rows.close();
  }

  /** The changes of the key that are this task's. */
  Iterator<ChangeBuffer.Change> changes(ChangeBuffer changed) {
    if (!sliced) {
      return changed.net().iterator();
    }
    return changed.net().stream().filter(change -> isMine(change.key())).iterator();
  }

  private boolean isMine(UnsafeRow streamKey) {
    int hash = Murmur3_x86_32.hashUnsafeBytes2(
        streamKey.getBaseObject(), streamKey.getBaseOffset(), streamKey.getSizeInBytes(), SEED);
    return Math.floorMod(hash, states.count()) == states.number();
  }
}
