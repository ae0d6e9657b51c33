package io.groundswell.spark.store.migrate;

import io.groundswell.spark.store.contract.FamilyPlan;
import io.groundswell.spark.store.contract.OperatorPlan;
import io.groundswell.spark.store.contract.StorePlan;
import io.groundswell.spark.store.migrate.StateExtract.Moved;
import io.groundswell.spark.store.provider.EpochStoreProvider;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import scala.Tuple2;

/** Writes one new partition of an operator: all its stores, each committed once. */
final class StateLoad {
  /** What was written: the partition, its stores' commit ids in the plan's order, rows. */
  record Loaded(int partition, List<String> ids, long rows) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  private StateLoad() {}

  static Loaded run(
      OperatorPlan operator, Stores stores, int partition, Iterator<Tuple2<Integer, Moved>> rows) {
    List<EpochStoreProvider> providers = new ArrayList<>();
    List<StateStore> open = new ArrayList<>();
    try {
      for (StorePlan plan : operator.stores()) {
        EpochStoreProvider provider = (EpochStoreProvider) stores.open(
            stores.plan().target(), operator.id(), partition, plan, true);
        providers.add(provider);
        StateStore store = provider.emptyStore(stores.plan().version());
        open.add(store);
        Stores.declare(store, plan);
      }
      long count = 0;
      while (rows.hasNext()) {
        Moved row = rows.next()._2();
        FamilyPlan family = operator.stores().get(row.store()).families().get(row.family());
        write(open.get(row.store()), family, row);
        count++;
      }
      List<String> ids = new ArrayList<>();
      for (StateStore store : open) {
        store.commit();
        ids.add(store.getStateStoreCheckpointInfo().stateStoreCkptId().get());
      }
      return new Loaded(partition, ids, count);
    } finally {
      open.stream().filter(store -> !store.hasCommitted()).forEach(StateStore::abort);
      providers.forEach(EpochStoreProvider::close);
    }
  }

  private static void write(StateStore store, FamilyPlan family, Moved row) {
    UnsafeRow key = StateExtract.row(row.key(), FamilySpecs.key(family).length());
    UnsafeRow[] values = new UnsafeRow[row.values().length];
    for (int i = 0; i < values.length; i++) {
      values[i] = StateExtract.row(row.values()[i], FamilySpecs.value(family).length());
    }
    if (family.multiple()) {
      store.putList(key, values, family.name());
    } else {
      store.put(key, values[0], family.name());
    }
  }
}
