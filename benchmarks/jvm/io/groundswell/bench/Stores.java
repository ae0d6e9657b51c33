package io.groundswell.bench;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.StoreOptions;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import io.groundswell.version.CommitReader;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider$;
import org.apache.spark.sql.execution.streaming.state.StateStoreProviderId;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
import scala.collection.immutable.Map$;

/** Makes providers as an executor does: by class name, from Spark confs, for one partition. */
final class Stores {
  private Stores() {}

  static StateStoreProvider open(String folder, boolean prefixScans, Map<String, String> confs) {
    SQLConf sqlConf = new SQLConf();
    Configuration hadoopConf = new Configuration();
    confs.forEach((key, value) -> {
      sqlConf.setConfString(key, value);
      hadoopConf.set(key, value);
    });
    UUID run = UUID.randomUUID();
    hadoopConf.set(StreamExecution.RUN_ID_KEY(), run.toString());
    StateStoreConf storeConf = new StateStoreConf(sqlConf, Map$.MODULE$.<String, String>empty());
    KeyStateEncoderSpec spec = prefixScans ? new PrefixKeyScanStateEncoderSpec(Rows.KEY, 1)
                                           : new NoPrefixKeyStateEncoderSpec(Rows.KEY);
    StateStoreId id = new StateStoreId(folder, 0L, 0, StateStoreId.DEFAULT_STORE_NAME());
    return StateStoreProvider$.MODULE$.createAndInit(new StateStoreProviderId(id, run), Rows.KEY,
        Rows.VALUE, spec, false, storeConf, hadoopConf, false, Option.empty());
  }

  /** How a store of ours is laid out at a version: sub-levels, files, bytes in them. */
  static Map<String, Long> shape(StateStoreProvider provider, long number) {
    String uri = provider.stateStoreId().storeCheckpointLocation().toString();
    try (ObjectStore folder = ObjectStores.open(uri, new Configuration());
        EpochStore store =
            EpochStore.at(folder, StoreOptions.defaults(), EngineServices.shared())) {
      Version version = CommitReader.read(folder, number, store.versions().get(number), -1);
      return Map.of("subLevels", (long) version.runs().size(), "files", (long) version.fileCount(),
          "fileBytes", version.runs().stream().mapToLong(Run::bytes).sum());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What Spark's maintenance threads do for a store once a minute. */
  static void maintain(StateStoreProvider provider) {
    provider.doSnapshotMaintenance();
    provider.doCleanupMaintenance();
  }
}
