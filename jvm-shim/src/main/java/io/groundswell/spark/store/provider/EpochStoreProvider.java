package io.groundswell.spark.store.provider;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.shims.Coordinator;
import io.groundswell.spark.shims.SnapshotMetric;
import io.groundswell.spark.shims.SparkErrors;
import io.groundswell.storage.ObjectStores;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.RocksDB;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateSchemaProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreChangeDataReader;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreCustomMetric;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreInstanceMetric;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's provider of one partition's state, over one {@code EpochStore}.
 *
 * <p>Spark makes instances on the driver only to ask for metrics, and calls {@code init} under a
 * lock of the whole executor: neither does any I/O. Any number of stores may be open at once.
 *
 * <p>It is a subclass of RocksDB's provider in name only: Spark gives state formats 3 and 4 of a
 * stream-stream join to its subclasses alone. Every method that could reach RocksDB is overridden,
 * which a test holds; its library is never loaded.
 */
public class EpochStoreProvider extends RocksDBStateStoreProvider {
  private static final Logger LOG = LoggerFactory.getLogger(EpochStoreProvider.class);

  private StoreContext context;
  private EpochStore store;
  private int mergeEvery;

  private final EngineMetrics engineMetrics = new EngineMetrics();
  private final AtomicBoolean retiring = new AtomicBoolean();
  private volatile long retiredBelow;
  private volatile Committed last = new Committed(-1, 0);
  private volatile long reportedVersion = -1;

  private record Committed(long version, long millis) {}

  @Override
  public void init(StateStoreId id, StructType key, StructType value, KeyStateEncoderSpec spec,
      boolean useColumnFamilies, StateStoreConf conf, Configuration hadoopConf,
      boolean useMultipleValuesPerKey, Option<StateSchemaProvider> schemas) {
    if (useMultipleValuesPerKey && !useColumnFamilies) {
      throw new IllegalArgumentException(
          "requirement failed: Multiple values per key support requires column families");
    }
    StoreOptions options = SparkSettings.storeOptions(CollectionConverters.asJava(conf.sqlConfs()))
                               .withRetained(conf.minVersionsToRetain());
    this.mergeEvery = options.compactAtFiles();
    Map<String, FamilySpec> declared = new ConcurrentHashMap<>();
    declared.put(Families.DEFAULT,
        new FamilySpec(Families.DEFAULT, spec, value, useMultipleValuesPerKey, false));
    this.context =
        new StoreContext(id, key, value, useColumnFamilies, conf, hadoopConf, declared, schemas);
    this.store =
        EpochStore.at(ObjectStores.open(id.storeCheckpointLocation().toString(), hadoopConf),
            StateSpaces.of(id, conf, hadoopConf), options, EngineServices.shared());
  }

  @Override
  public StateStoreId stateStoreId() {
    return context.id();
  }

  @Override
  public StateStore getStore(
      long version, Option<String> id, boolean forceSnapshotOnCommit, boolean loadEmpty) {
    EpochStateStore opened = open(version, id, true).forced(forceSnapshotOnCommit);
    if (loadEmpty) {
      opened.families.clear();
    }
    return opened;
  }

  @Override
  public StateStore getReadStore(long version, Option<String> id) {
    return open(version, id, false);
  }

  @Override
  public StateStore upgradeReadStoreToWriteStore(
      ReadStateStore readStore, long version, Option<String> id, boolean forceSnapshotOnCommit) {
    if (readStore instanceof EpochStateStore own && own.upgrade(this, version)) {
      return own.forced(forceSnapshotOnCommit);
    }
    return getStore(version, id, forceSnapshotOnCommit, false);
  }

  /** A store without rows whose commit is {@code version}: for state that comes from elsewhere. */
  public StateStore emptyStore(long version) {
    return new EpochStateStore(this, context, store.beginEmpty(version), true, 0);
  }

  /** Every version of ours is whole, so the state at the end is opened; the start has to exist. */
  @Override
  public StateStore replayStateFromSnapshot(long snapshotVersion, long endVersion, boolean readOnly,
      Option<String> snapshotId, Option<String> endId) {
    if (snapshotVersion < 1 || endVersion < snapshotVersion) {
      throw SparkErrors.unexpectedVersion(snapshotVersion < 1 ? snapshotVersion : endVersion);
    }
    try (Snapshot start = store.snapshot(snapshotVersion, orNull(snapshotId))) {
      LOG.debug("{} can be replayed from {}", context.id(), start.version());
    } catch (RuntimeException e) {
      throw SparkErrors.missingSnapshot(e);
    }
    return open(endVersion, endId, !readOnly);
  }

  @Override
  public ReadStateStore replayReadStateFromSnapshot(
      long snapshotVersion, long endVersion, Option<String> snapshotId, Option<String> endId) {
    return replayStateFromSnapshot(snapshotVersion, endVersion, true, snapshotId, endId);
  }

  @Override
  public StateStoreChangeDataReader getStateStoreChangeDataReader(
      long start, long end, Option<String> family, Option<String> endId) {
    String name = family.isDefined() ? family.get() : Families.DEFAULT;
    FamilySpec spec = context.declared().get(name);
    if (spec == null) {
      throw SparkErrors.missingFamily("getStateStoreChangeDataReader", name);
    }
    return new StateChanges(this::snapshot, context, spec, start, end, orNull(endId));
  }

  private EpochStateStore open(long version, Option<String> id, boolean writable) {
    long start = System.nanoTime();
    if (version < 0) {
      throw SparkErrors.unexpectedVersion(version);
    }
    try {
      Transaction transaction = store.begin(version, orNull(id));
      long millis = (System.nanoTime() - start) / 1_000_000;
      return new EpochStateStore(this, context, transaction, writable, millis);
    } catch (Throwable e) {
      throw cannotLoad(version, orNull(id), e);
    }
  }

  private Snapshot snapshot(long version, String id) {
    try {
      return store.snapshot(version, id);
    } catch (Throwable e) {
      throw cannotLoad(version, id, e);
    }
  }

  private RuntimeException cannotLoad(long version, String id, Throwable cause) {
    return SparkErrors.cannotLoad(context == null ? null : context.id(), version, id, cause);
  }

  private static String orNull(Option<String> id) {
    return id.isDefined() ? id.get() : null;
  }

  /**
   * A provider that Spark unloads after each commit has no time for merges in the background: every
   * so many versions the task merges, and the commit takes the result in.
   */
  void beforeCommit(Transaction batch) {
    long version = batch.baseVersion();
    if (context.conf().unloadOnCommit() && version > 0 && version % mergeEvery == 0) {
      store.compact(version, batch.baseId());
    }
  }

  /**
   * A store of this provider has committed. The version may still be in memory alone, that below is
   * durable for sure: Spark begins no batch before the last one is recorded.
   */
  void committed(Transaction.Commit commit) {
    last = new Committed(commit.version(), System.currentTimeMillis());
    if (context.conf().commitValidationEnabled()) {
      Coordinator.reportCommit(commit.version(), context.id(), context.hadoopConf());
    }
  }

  Map<StateStoreCustomMetric, Object> engineMetrics() {
    return engineMetrics.take(store.metrics());
  }

  Map<StateStoreInstanceMetric, Object> instanceMetrics() {
    return SnapshotMetric.of(context.id(), last.version());
  }

  @Override
  public Seq<StateStoreCustomMetric> supportedCustomMetrics() {
    return StoreMetricsReport.supported();
  }

  @Override
  public Seq<StateStoreInstanceMetric> supportedInstanceMetrics() {
    return SnapshotMetric.supported();
  }

  /** Called by Spark 4.2, and before a provider is unloaded after each commit. */
  @Override
  public void doMaintenance() {
    doSnapshotMaintenance();
    doCleanupMaintenance();
  }

  /** Commits are snapshots; the driver has only to hear of the newest. */
  @Override
  public void doSnapshotMaintenance() {
    Committed newest = last;
    if (newest.version() <= reportedVersion || !context.conf().reportSnapshotUploadLag()) {
      return;
    }
    try {
      Coordinator.reportSnapshot(
          newest.version(), newest.millis(), context.id(), context.hadoopConf());
      reportedVersion = newest.version();
    } catch (RuntimeException e) {
      LOG.warn("could not tell the driver that {} is at {}", context.id(), newest.version(), e);
    }
  }

  /**
   * Lets files go that no version in Spark's window needs. An error is logged, since Spark would
   * drop the whole provider for it, and the next round tries again.
   */
  @Override
  public void doCleanupMaintenance() {
    long oldest = last.version() - context.conf().minVersionsToRetain();
    boolean worthIt = oldest - retiredBelow >= Math.max(1, context.conf().minVersionsToDelete());
    if (!worthIt || !retiring.compareAndSet(false, true)) {
      return;
    }
    try {
      int files = store.retire(oldest);
      retiredBelow = oldest;
      LOG.debug("{}: {} files retired below version {}", context.id(), files, oldest);
    } catch (RuntimeException e) {
      LOG.warn("could not retire versions of {} below {}", context.id(), oldest, e);
    } finally {
      retiring.set(false);
    }
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
    }
  }

  /** Nothing of RocksDB's may run here; a method that was left to the superclass ends here. */
  @Override
  public RocksDB rocksDB() {
    throw new IllegalStateException(
        "EpochStateStoreProvider has no RocksDB: it only passes for its provider");
  }
}
