package io.groundswell.spark.store.migrate;

import io.groundswell.spark.store.contract.FamilyPlan;
import io.groundswell.spark.store.contract.OperatorPlan;
import io.groundswell.spark.store.contract.StorePlan;
import io.groundswell.spark.store.encoding.PartitionHash;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import scala.Option;
import scala.Tuple2;

/** The rows of one old partition of an operator, store by store, each with its new partition. */
final class StateExtract implements Iterator<Tuple2<Integer, StateExtract.Moved>> {
  /** A row on its way: which store and table of the plan, key row, value rows. */
  record Moved(int store, int family, byte[] key, byte[][] values) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  private final OperatorPlan operator;
  private final Stores stores;
  private final int partition;

  private int store = -1;
  private int family;
  private StateStoreProvider provider;
  private StateStore open;
  private StateStoreIterator<UnsafeRowPair> rows;
  private PartitionHash hash;
  private Tuple2<Integer, Moved> ready;
  private byte[] key;
  private final List<byte[]> values = new ArrayList<>();
  private int target;

  StateExtract(OperatorPlan operator, Stores stores, int partition) {
    this.operator = operator;
    this.stores = stores;
    this.partition = partition;
  }

  @Override
  public boolean hasNext() {
    while (ready == null && advance()) {
    }
    return ready != null;
  }

  @Override
  public Tuple2<Integer, Moved> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Tuple2<Integer, Moved> result = ready;
    ready = null;
    return result;
  }

  /** One step; false at the end. A key's values follow each other, and leave together. */
  private boolean advance() {
    if (rows == null) {
      return nextTable();
    }
    if (!rows.hasNext()) {
      flush();
      rows.close();
      rows = null;
      family++;
      return true;
    }
    UnsafeRowPair row = rows.next();
    // Copies: getBytes alone may give the very buffer that a provider decodes its next row into.
    byte[] next = row.key().copy().getBytes();
    if (key != null && !Arrays.equals(key, next)) {
      flush();
    }
    if (key == null) {
      key = next;
      target = Math.floorMod(hash.of(row.key()), operator.newPartitions());
    }
    values.add(row.value().copy().getBytes());
    return true;
  }

  private void flush() {
    if (key != null) {
      ready = new Tuple2<>(
          target, new Moved(store, family, key, values.toArray(new byte[values.size()][])));
      values.clear();
      key = null;
    }
  }

  private boolean nextTable() {
    if (open != null && family < operator.stores().get(store).families().size()) {
      StorePlan plan = operator.stores().get(store);
      FamilyPlan table = plan.families().get(family);
      hash = PartitionHash.at(FamilySpecs.key(table), FamilySpecs.distribution(table));
      rows = table.multiple() ? open.iteratorWithMultiValues(table.name())
                              : open.iterator(table.name());
      return true;
    }
    close();
    if (++store == operator.stores().size()) {
      return false;
    }
    family = 0;
    StorePlan plan = operator.stores().get(store);
    provider = stores.open(stores.plan().origin(), operator.id(), partition, plan, false);
    open = provider.getStore(
        stores.plan().version(), Option.apply(plan.ids().get(partition)), false, false);
    Stores.declare(open, plan);
    return true;
  }

  /** Gives the old store back as it was. */
  void close() {
    if (rows != null) {
      rows.close();
      rows = null;
    }
    if (open != null) {
      open.abort();
      provider.close();
      open = null;
    }
  }

  static UnsafeRow row(byte[] bytes, int fields) {
    UnsafeRow row = new UnsafeRow(fields);
    row.pointTo(bytes, bytes.length);
    return row;
  }
}
