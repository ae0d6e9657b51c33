package io.groundswell.spark.store.provider;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.shims.SparkErrors;
import io.groundswell.spark.store.encoding.KeyCodec;
import io.groundswell.spark.store.encoding.RowBytes;
import io.groundswell.spark.store.encoding.ValueList;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreCheckpointInfo;
import org.apache.spark.sql.execution.streaming.state.StateStoreMetrics;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;
import scala.Option;

/** One batch of one store. A read store is the same, and may be turned into a write store. */
final class EpochStateStore extends StateReads implements StateStore {
  private final EpochStoreProvider provider;
  private final StoreMetricsReport report = new StoreMetricsReport();
  private final Slice row = new Slice();
  private final ValueList single = new ValueList();
  private final boolean inTask;

  /** Null unless {@link Setting#LOG_EVERY_WRITE} is on. */
  private final StepLog steps;

  private volatile boolean writable;
  private volatile Transaction.Commit committed;

  EpochStateStore(EpochStoreProvider provider, StoreContext context, Transaction transaction,
      boolean writable, long loadMillis) {
    super(context, transaction);
    this.provider = provider;
    this.writable = writable;
    report.loadMillis = loadMillis;
    this.steps = context.logsEveryWrite() ? new StepLog(transaction) : null;
    transaction.learnFromReads(writable);
    TaskContext task = TaskContext.get();
    this.inTask = task != null;
    if (inTask) {
      TaskCompletionListener end = ended -> endOfTask();
      task.addTaskCompletionListener(end);
    }
  }

  /** Gives up what the task left open. Nobody else does so for read stores and for scans. */
  private void endOfTask() {
    if (lifecycle.isOpen()) {
      if (writable) {
        lifecycle.abort();
      } else {
        lifecycle.release();
      }
    }
    end();
  }

  private void end() {
    closeScans();
    transaction.close();
  }

  /** True if this is a read store of that provider at that version, now turned writable. */
  boolean upgrade(EpochStoreProvider asker, long version) {
    if (asker != provider || version != version() || !lifecycle.isOpen()) {
      return false;
    }
    writable = true;
    transaction.learnFromReads(true);
    return true;
  }

  /** Every commit is a snapshot, as Spark means the word: there is nothing to do but to say so. */
  EpochStateStore forced(boolean snapshot) {
    report.forced = snapshot;
    return this;
  }

  private Family forWrite(UnsafeRow key, String familyName, String operation) {
    if (!writable) {
      throw SparkErrors.outOfOrder("Cannot " + operation + " with read-only " + this);
    }
    return keyed(key, familyName, operation);
  }

  private static void requireValue(Object value, String operation) {
    if (value == null) {
      throw new IllegalArgumentException(
          "requirement failed: Cannot " + operation + " a null value");
    }
  }

  @Override
  public void createColFamilyIfAbsent(String name, StructType key, StructType value,
      KeyStateEncoderSpec spec, boolean multiple, boolean internal) {
    lifecycle.requireOpen();
    families.create(new FamilySpec(name, spec, value, multiple, internal));
  }

  @Override
  public void registerColFamily(String name, StructType key, StructType value,
      KeyStateEncoderSpec spec, boolean multiple, boolean internal) {
    lifecycle.requireOpen();
    families.register(new FamilySpec(name, spec, value, multiple, internal));
  }

  @Override
  public boolean removeColFamilyIfExists(String name) {
    lifecycle.requireOpen();
    if (steps != null) {
      steps.forget(name);
    }
    return families.remove(name);
  }

  @Override
  public void put(UnsafeRow key, UnsafeRow value, String familyName) {
    Family family = forWrite(key, familyName, "put");
    requireValue(value, "put");
    validate(key, value);
    KeyCodec keys = family.keys;
    keys.encode(key);
    if (steps != null) {
      steps.replaced(family, value);
    }
    if (family.spec.multiple()) {
      lists.replace(family, new UnsafeRow[] {value});
      return;
    }
    if (family.lists) {
      single.clear();
      single.add(value, family.rows.schemaId());
      row.set(single.bytes, 0, single.length);
    } else {
      RowBytes.of(value, row);
    }
    transaction.put(family.table, keys.hash, keys.bytes, keys.offset, keys.length, row.bytes,
        row.offset, row.length);
  }

  @Override
  public void putList(UnsafeRow key, UnsafeRow[] values, String familyName) {
    Family family = forWrite(key, familyName, "putList");
    requireValues(values, "put");
    family.requireMultiple("putList");
    family.keys.encode(key);
    if (steps != null) {
      steps.replaced(family, values);
    }
    lists.replace(family, values);
  }

  @Override
  public void merge(UnsafeRow key, UnsafeRow value, String familyName) {
    mergeAll(key, new UnsafeRow[] {value}, familyName, "merge");
  }

  @Override
  public void mergeList(UnsafeRow key, UnsafeRow[] values, String familyName) {
    mergeAll(key, values, familyName, "mergeList");
  }

  private void mergeAll(UnsafeRow key, UnsafeRow[] values, String familyName, String operation) {
    Family family = forWrite(key, familyName, operation);
    family.requireMultiple(operation);
    requireValues(values, "merge");
    family.keys.encode(key);
    if (steps != null) {
      steps.appended(family, values);
    }
    lists.append(family, values);
  }

  private static void requireValues(UnsafeRow[] values, String operation) {
    requireValue(values, operation);
    for (UnsafeRow value : values) {
      requireValue(value, operation);
    }
  }

  @Override
  public void remove(UnsafeRow key, String familyName) {
    Family family = forWrite(key, familyName, "remove");
    KeyCodec keys = family.keys;
    keys.encode(key);
    remove(family, keys.hash, keys.bytes, keys.offset, keys.length);
  }

  private void remove(Family family, int hash, byte[] key, int offset, int length) {
    if (steps != null) {
      steps.removed(family, hash, key, offset, length);
    }
    lists.remove(family, hash, key, offset, length);
  }

  @Override
  public void deleteRange(UnsafeRow from, UnsafeRow to, String familyName) {
    Family family = forWrite(from, familyName, "deleteRange");
    try (RowCursor rows = rangeCursor(family, Option.apply(from), Option.apply(to))) {
      while (rows.next()) {
        Slice key = rows.key();
        remove(family, rows.hash(), key.bytes, key.offset, key.length);
      }
    }
  }

  @Override
  public synchronized long commit() {
    lifecycle.requireOpen();
    if (!writable) {
      throw SparkErrors.outOfOrder("Cannot commit read-only " + this);
    }
    long start = System.nanoTime();
    try {
      report.keys = families.count(false);
      report.internalKeys = families.count(true);
      report.batchBytes = transaction.memoryBytes();
      provider.beforeCommit(transaction);
      Transaction.Commit commit = transaction.commit();
      report.commitMillis = (System.nanoTime() - start) / 1_000_000;
      report.bytesWritten = commit.bytesWritten();
      report.rowsWritten = commit.rowsWritten();
      report.engine = provider.engineMetrics();
      committed = commit;
      lifecycle.commit();
      provider.committed(commit);
      return commit.version();
    } catch (Throwable e) {
      throw SparkErrors.commitFailed(toString(), e);
    } finally {
      if (!inTask && !lifecycle.isOpen()) {
        end();
      }
    }
  }

  @Override
  public void abort() {
    if (writable ? lifecycle.abort() : lifecycle.release()) {
      transaction.abort();
      end();
    }
  }

  @Override
  public void release() {
    if (writable) {
      throw SparkErrors.outOfOrder("Cannot release writable " + this + ": commit or abort it");
    }
    if (lifecycle.release()) {
      end();
    }
  }

  @Override
  public boolean hasCommitted() {
    return lifecycle.state() == Lifecycle.State.COMMITTED;
  }

  @Override
  public StateStoreMetrics metrics() {
    lifecycle.requireEnded();
    return report.toSpark(provider.instanceMetrics());
  }

  @Override
  public StateStoreCheckpointInfo getStateStoreCheckpointInfo() {
    lifecycle.requireCommitted("get the checkpoint info of");
    boolean ids = context.conf().enableStateStoreCheckpointIds();
    return new StateStoreCheckpointInfo(id().partitionId(), committed.version(),
        Option.apply(ids ? committed.id() : null),
        Option.apply(ids && committed.version() > 1 ? committed.baseId() : null));
  }
}
