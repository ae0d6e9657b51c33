package io.groundswell.bench;

import com.sun.management.ThreadMXBean;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Slice;
import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.storage.LocalObjectStore;
import io.groundswell.storage.ObjectStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Batches of read-modify-write on one store of the engine, without Spark's interface. Each round is
 * a batch; what it costs is measured on the thread that calls, so that other work on the machine
 * does not count.
 */
public final class CommitBatches implements Supplier<long[]> {
  private static final int VALUE_BYTES = 88;

  private final ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final EpochStore store;
  private final int keys;
  private final int rows;
  private final Random random = new Random(7);
  private final byte[] key = new byte[TestKeys.BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private final Slice found = new Slice();
  private long version;

  public CommitBatches(Path path, Integer keys, Integer rows) {
    ObjectStore folder = new LocalObjectStore(path, false);
    store = EpochStore.at(folder, StoreOptions.defaults(), EngineServices.shared());
    this.keys = keys;
    this.rows = rows;
  }

  /** CPU nanoseconds of the batch's rows, then wall and CPU nanoseconds and bytes of its commit. */
  @Override
  public long[] get() {
    long start = thread.getCurrentThreadCpuTime();
    try (Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.createTable("t", TableSpec.Layout.HASHED, true);
      for (int i = 0; i < rows; i++) {
        int number = random.nextInt(keys);
        int hash = TestKeys.set(key, number);
        if (batch.get(table, hash, key, 0, TestKeys.BYTES, found)) {
          System.arraycopy(found.bytes, found.offset, value, 0, VALUE_BYTES);
        } else {
          TestKeys.setValue(value, number);
        }
        value[i % VALUE_BYTES]++;
        batch.put(table, hash, key, 0, TestKeys.BYTES, value, 0, VALUE_BYTES);
      }
      long written = thread.getCurrentThreadCpuTime();
      long allocated = thread.getCurrentThreadAllocatedBytes();
      long wall = System.nanoTime();
      version = batch.commit().version();
      long end = thread.getCurrentThreadCpuTime();
      long[] cost = {written - start, System.nanoTime() - wall, end - written,
          thread.getCurrentThreadAllocatedBytes() - allocated};
      if (version % 10 == 0) {
        store.retire(version - 2);
      }
      return cost;
    }
  }
}
