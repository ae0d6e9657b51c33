package io.groundswell.bench;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import io.groundswell.version.CommitReader;
import io.groundswell.version.Levels;
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
  private final SQLConf sqlConf = new SQLConf();
  private final Configuration hadoopConf = new Configuration();

  /** Confs are Spark's and, for file systems, Hadoop's. */
  Stores(Map<String, String> confs) {
    confs.forEach((key, value) -> {
      sqlConf.setConfString(key, value);
      hadoopConf.set(key, value);
    });
  }

  StateStoreProvider open(String folder, boolean prefixScans) {
    UUID run = UUID.randomUUID();
    Configuration runConf = new Configuration(hadoopConf);
    runConf.set(StreamExecution.RUN_ID_KEY(), run.toString());
    StateStoreConf storeConf = new StateStoreConf(sqlConf, Map$.MODULE$.<String, String>empty());
    KeyStateEncoderSpec spec = prefixScans ? new PrefixKeyScanStateEncoderSpec(Rows.KEY, 1)
                                           : new NoPrefixKeyStateEncoderSpec(Rows.KEY);
    StateStoreId id = new StateStoreId(folder, 0L, 0, StateStoreId.DEFAULT_STORE_NAME());
    return StateStoreProvider$.MODULE$.createAndInit(new StateStoreProviderId(id, run), Rows.KEY,
        Rows.VALUE, spec, false, storeConf, runConf, false, Option.empty());
  }

  static boolean isOurs(StateStoreProvider provider) {
    return provider.getClass().getName().startsWith("io.groundswell.");
  }

  /** How a store of ours is laid out at a version: sub-levels, files, bytes in them. */
  Map<String, Long> shape(StateStoreProvider provider, long number) {
    return inFolder(provider, (folder, store) -> {
      Version version = CommitReader.read(folder, number, store.versions().get(number), -1);
      Levels levels = version.levels();
      int subLevels = levels.subLevels().size();
      return Map.of("subLevels", (long) subLevels, "levels",
          (long) levels.runs().size() - subLevels, "files", (long) version.fileCount(), "fileBytes",
          levels.bytes());
    });
  }

  /** Merges all of a store of ours, in a version of its own; gives that one's number. */
  long compact(StateStoreProvider provider, long number) {
    return inFolder(provider, (folder, store) -> {
      if (!store.compact(number, null)) {
        throw new IllegalStateException("nothing to merge in version " + number);
      }
      try (Transaction batch = store.begin(number, null)) {
        return batch.commit().version();
      }
    });
  }

  private interface Look<T> {
    T at(ObjectStore folder, EpochStore store) throws IOException;
  }

  private <T> T inFolder(StateStoreProvider provider, Look<T> look) {
    String uri = provider.stateStoreId().storeCheckpointLocation().toString();
    try (ObjectStore folder = ObjectStores.open(uri, hadoopConf);
        EpochStore store =
            EpochStore.at(folder, StoreOptions.defaults(), EngineServices.shared())) {
      return look.at(folder, store);
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
