package io.groundswell.spark.store.migrate;

import io.groundswell.EpochStateStoreProvider;
import io.groundswell.spark.store.contract.FamilyPlan;
import io.groundswell.spark.store.contract.MigrationPlan;
import io.groundswell.spark.store.contract.StorePlan;
import java.io.Serializable;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.execution.streaming.state.StateSchemaProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;

/**
 * Opens old and new stores in tasks.
 *
 * @param run of this move alone: Spark's RocksDB keeps row encoders by run, operator and table
 * @param schemas by operator, what its rows were written with, where that may change
 */
record Stores(UUID run, MigrationPlan plan, StateStoreConf oldConf, StateStoreConf newConf,
    Map<Long, StateSchemaProvider> schemas, Broadcast<SerializableConfiguration> hadoop)
    implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String DEFAULT = StateStore.DEFAULT_COL_FAMILY_NAME();
  private static final String RUN_ID = "sql.streaming.runId";

  /** A provider of a store as Spark would make it; {@code ours} whatever the old one was. */
  StateStoreProvider open(
      String root, long operator, int partition, StorePlan store, boolean ours) {
    StateStoreProvider provider =
        ours ? new EpochStateStoreProvider() : StateStoreProvider.create(oldConf.providerClass());
    FamilyPlan first = store.families()
                           .stream()
                           .filter(family -> family.name().equals(DEFAULT))
                           .findFirst()
                           .orElse(store.families().get(0));
    Configuration conf = new Configuration(hadoop.value().value());
    conf.set(RUN_ID, run.toString());
    provider.init(new StateStoreId(root, operator, partition, store.name()), FamilySpecs.key(first),
        FamilySpecs.value(first), FamilySpecs.encoder(first), store.useFamilies(),
        ours ? newConf : oldConf, conf, first.multiple(), Option.apply(schemas.get(operator)));
    return provider;
  }

  /** Makes a store know all its tables, as the operator does at the start of a task. */
  static void declare(StateStore store, StorePlan plan) {
    for (FamilyPlan family : plan.families()) {
      if (!family.name().equals(DEFAULT)) {
        store.createColFamilyIfAbsent(family.name(), FamilySpecs.key(family),
            FamilySpecs.value(family), FamilySpecs.encoder(family), family.multiple(),
            family.name().startsWith("$"));
      }
    }
  }
}
