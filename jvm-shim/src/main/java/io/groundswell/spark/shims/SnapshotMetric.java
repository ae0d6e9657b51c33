package io.groundswell.spark.shims;

import java.util.Map;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreInstanceMetric;
import org.apache.spark.sql.execution.streaming.state.StateStoreSnapshotLastUploadInstanceMetric;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's metric of the newest version that can be loaded from storage, by partition. */
public final class SnapshotMetric {
  private SnapshotMetric() {}

  public static Seq<StateStoreInstanceMetric> supported() {
    return CollectionConverters.asScala(java.util.List.of(unbound())).toSeq();
  }

  /** The newest version of this store. */
  public static Map<StateStoreInstanceMetric, Object> of(StateStoreId id, long version) {
    return Map.of(unbound().withNewId(id.partitionId(), id.storeName()), version);
  }

  private static StateStoreInstanceMetric unbound() {
    return new StateStoreSnapshotLastUploadInstanceMetric(
        Option.empty(), StateStoreId.DEFAULT_STORE_NAME());
  }
}
