package io.groundswell.spark.store.provider;

import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.BatchSpace;
import io.groundswell.spark.store.checkpoint.CheckpointFolders;
import io.groundswell.spark.store.checkpoint.ExecutorCheckpoints;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;

/** Where a store of Spark's stands among the others of its checkpoint. */
final class StateSpaces {
  private StateSpaces() {}

  /** The space of one store; deferred are only commits of runs that the driver has confirmed. */
  static BatchSpace of(StateStoreId id, StateStoreConf conf, Configuration hadoopConf) {
    String root = id.checkpointRootLocation();
    BatchPacks packs = CheckpointFolders.of(root, hadoopConf);
    String store = pathOf(id);
    String run = hadoopConf.get(StreamExecution.RUN_ID_KEY());
    boolean anyAttemptDoes = !conf.enableStateStoreCheckpointIds();
    return new BatchSpace(packs, store,
        version
        -> ExecutorCheckpoints.destination(
            root, hadoopConf, packs, run, store, version, anyAttemptDoes));
  }

  /** The store's folder, from the one that all stores are in. */
  private static String pathOf(StateStoreId id) {
    String path = id.operatorId() + "/" + id.partitionId();
    return id.storeName().equals(StateStoreId.DEFAULT_STORE_NAME()) ? path
                                                                    : path + "/" + id.storeName();
  }
}
