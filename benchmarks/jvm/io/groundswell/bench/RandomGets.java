package io.groundswell.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.storage.LocalObjectStore;
import io.groundswell.storage.ObjectStore;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Supplier;

/** Random reads of keys that are there, in a store that was loaded and merged into one level. */
public final class RandomGets implements Supplier<long[]> {
  private static final int VALUE_BYTES = 88;
  private static final int LOADED_AT_ONCE = 100_000;

  private final ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean process =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final int keys;
  private final int rows;
  private final Random random = new Random(7);
  private final Snapshot snapshot;

  public RandomGets(Path path, Integer keys, Integer rows) {
    this.keys = keys;
    this.rows = rows;
    ObjectStore folder = new LocalObjectStore(path, false);
    EpochStore store = EpochStore.at(folder, StoreOptions.defaults(), EngineServices.shared());
    long version = 0;
    for (int from = 0; from < keys; from += LOADED_AT_ONCE) {
      version = load(store, version, from, Math.min(keys, from + LOADED_AT_ONCE));
    }
    while (!store.compact(version, null)) {
      version = load(store, version, 0, 0); // takes in a merge that was running
    }
    version = load(store, version, 0, 0);
    store.retire(version);
    snapshot = store.snapshot(version, null);
  }

  private static long load(EpochStore store, long version, int from, int to) {
    byte[] key = new byte[TestKeys.BYTES];
    byte[] value = new byte[VALUE_BYTES];
    try (Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.createTable("t", TableSpec.Layout.HASHED, true);
      for (int i = from; i < to; i++) {
        TestKeys.setValue(value, i);
        int hash = TestKeys.set(key, i);
        batch.put(table, hash, key, 0, key.length, value, 0, value.length);
      }
      return batch.commit().version();
    }
  }

  /** CPU and wall nanoseconds, CPU nanoseconds of all threads, bytes allocated. */
  @Override
  public long[] get() {
    byte[][] wanted = new byte[rows][TestKeys.BYTES];
    int[] hashes = new int[rows];
    long expected = 0;
    for (int i = 0; i < rows; i++) {
      int number = random.nextInt(keys);
      hashes[i] = TestKeys.set(wanted[i], number);
      expected += number;
    }
    TableSpec table = snapshot.table("t");
    Slice found = new Slice();
    long sum = 0;
    long allCpu = process.getProcessCpuTime();
    long allocated = thread.getCurrentThreadAllocatedBytes();
    long cpu = thread.getCurrentThreadCpuTime();
    long wall = System.nanoTime();
    for (int i = 0; i < rows; i++) {
      if (snapshot.get(table, hashes[i], wanted[i], 0, TestKeys.BYTES, found)) {
        sum += ByteBuffer.wrap(found.bytes, found.offset, found.length).getInt();
      }
    }
    long[] cost = {thread.getCurrentThreadCpuTime() - cpu, System.nanoTime() - wall,
        process.getProcessCpuTime() - allCpu, thread.getCurrentThreadAllocatedBytes() - allocated};
    if (sum != expected) {
      throw new IllegalStateException("sum of values " + sum + ", expected " + expected);
    }
    return cost;
  }
}
