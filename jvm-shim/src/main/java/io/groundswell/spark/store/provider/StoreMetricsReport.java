package io.groundswell.spark.store.provider;

import io.groundswell.spark.store.provider.StoreMetric.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.execution.streaming.state.StateStoreCustomMetric;
import org.apache.spark.sql.execution.streaming.state.StateStoreInstanceMetric;
import org.apache.spark.sql.execution.streaming.state.StateStoreMetrics;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** What one batch of one store did, as Spark wants to hear it. */
final class StoreMetricsReport {
  private static final StoreMetric LOAD_MS =
      new StoreMetric("groundswellLoadMs", "time to open the version", Unit.MILLIS, false);
  private static final StoreMetric COMMIT_MS =
      new StoreMetric("groundswellCommitMs", "time to make the batch durable", Unit.MILLIS, false);
  private static final StoreMetric BYTES_WRITTEN =
      new StoreMetric("groundswellBytesWritten", "bytes of committed objects", Unit.BYTES, false);
  private static final StoreMetric ROWS_WRITTEN =
      new StoreMetric("groundswellRowsWritten", "rows and deletes written", Unit.COUNT, false);
  private static final StoreMetric BATCH_BYTES =
      new StoreMetric("groundswellBatchBytes", "memory held by the batch", Unit.BYTES, false);
  private static final StoreMetric INTERNAL_KEYS =
      new StoreMetric("groundswellInternalKeys", "keys of internal families", Unit.COUNT, true);

  private static final List<StateStoreCustomMetric> ALL =
      List.of(LOAD_MS, COMMIT_MS, BYTES_WRITTEN, ROWS_WRITTEN, BATCH_BYTES, INTERNAL_KEYS);

  long loadMillis;
  long commitMillis;
  long bytesWritten;
  long rowsWritten;
  long batchBytes;
  long keys;
  long internalKeys;

  /** Numbers of the engine below. */
  Map<StateStoreCustomMetric, Object> engine = Map.of();

  static Seq<StateStoreCustomMetric> supported() {
    List<StateStoreCustomMetric> all = new ArrayList<>(ALL);
    all.addAll(EngineMetrics.supported());
    return CollectionConverters.asScala(all).toSeq();
  }

  StateStoreMetrics toSpark(Map<StateStoreInstanceMetric, Object> instance) {
    Map<StateStoreCustomMetric, Object> custom = new LinkedHashMap<>();
    custom.put(LOAD_MS, loadMillis);
    custom.put(COMMIT_MS, commitMillis);
    custom.put(BYTES_WRITTEN, bytesWritten);
    custom.put(ROWS_WRITTEN, rowsWritten);
    custom.put(BATCH_BYTES, batchBytes);
    custom.put(INTERNAL_KEYS, internalKeys);
    custom.putAll(engine);
    return new StateStoreMetrics(keys, batchBytes, immutable(custom), immutable(instance));
  }

  private static <K> scala.collection.immutable.Map<K, Object> immutable(Map<K, Object> map) {
    return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(map));
  }
}
