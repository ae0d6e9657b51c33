package io.groundswell.spark.shims;

import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreCoordinatorRef;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider$;
import org.apache.spark.sql.execution.streaming.state.StateStoreProviderId;
import scala.Option;

/** What a provider tells the driver's coordinator of state stores. */
public final class Coordinator {
  private Coordinator() {}

  /** Says that this partition has committed; foreachBatch sinks fail without. One RPC. */
  public static void reportCommit(long version, StateStoreId id, Configuration hadoopConf) {
    StateStore.reportCommitToCoordinator(version, id, hadoopConf);
  }

  /**
   * Says that the version can be loaded from storage. A store that never says so is taken for a
   * lagging one, and Spark then asks it for a snapshot at every commit. One RPC.
   */
  public static void reportSnapshot(
      long version, long millis, StateStoreId id, Configuration hadoopConf) {
    Option<StateStoreCoordinatorRef> coordinator = StateStoreProvider$.MODULE$.coordinatorRef();
    if (coordinator.isDefined()) {
      UUID run = UUID.fromString(StateStoreProvider$.MODULE$.getRunId(hadoopConf));
      coordinator.get().snapshotUploaded(new StateStoreProviderId(id, run), version, millis);
    }
  }
}
