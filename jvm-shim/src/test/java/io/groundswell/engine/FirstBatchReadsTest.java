package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.Compression;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.RemoteObjectStore;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the first batch after a restart asks of storage on which requests are slow. */
class FirstBatchReadsTest {
  private static final int ROWS = 100_000;
  private static final String VALUE = "v".repeat(150);
  private static final StoreOptions OPTIONS =
      new StoreOptions(4096, 1000, 10, 64 << 20, Compression.NONE);

  /** Counts, and tells the requests of the reading thread from those beside it. */
  private static final class Remote extends RemoteObjectStore {
    final AtomicLong bytes = new AtomicLong();
    final AtomicInteger waited = new AtomicInteger();
    final AtomicInteger small = new AtomicInteger();
    final Thread reader = Thread.currentThread();

    Remote(ObjectStore store) {
      super(store);
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
      bytes.addAndGet(length);
      small.addAndGet(length < 24 << 10 ? 1 : 0);
      if (Thread.currentThread() == reader) {
        waited.incrementAndGet();
      }
      return super.read(name, offset, length);
    }
  }

  private final MemoryObjectStore memory = new MemoryObjectStore();
  private final Random random = new Random(5);
  private long version;
  private long state;

  private void load(int commits) {
    try (EngineServices services = EngineServices.create(64 << 20, 1);
        EpochStore store = EpochStore.at(memory, OPTIONS, services)) {
      for (int i = 0; i < commits; i++) {
        try (Transaction batch = store.begin(version, null)) {
          TableSpec table = batch.createTable("t", Layout.HASHED, true);
          for (int row = i; row < ROWS; row += commits) {
            Rows.put(batch, table, "row-" + row, VALUE + row);
          }
          version = batch.commit().version();
        }
      }
      state = memory.list("").stream().mapToLong(ObjectStore.ObjectInfo::length).sum();
    }
  }

  /** A new process reads and writes random rows. */
  private Remote firstBatch(int rows) {
    Remote remote = new Remote(memory);
    try (EngineServices services = EngineServices.create(64 << 20, 1);
        EpochStore store = EpochStore.at(remote, OPTIONS, services);
        Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.table("t");
      for (int i = 0; i < rows; i++) {
        int row = random.nextInt(ROWS);
        assertEquals(VALUE + row, Rows.get(batch, table, "row-" + row));
        Rows.put(batch, table, "row-" + row, VALUE + row);
      }
      batch.commit();
    }
    return remote;
  }

  @Test
  void rowsSpreadOverTheStateTakeAFewPercent() {
    load(2);
    int rows = (int) (400 * state / (1L << 30)); // as 400 rows of a gigabyte
    Remote remote = firstBatch(rows);
    double share = 100.0 * remote.bytes.get() / state;
    assertTrue(share < 5, rows + " rows read " + share + " % of " + state);
  }

  @Test
  void rowsThatTouchEveryBlockWaitForFewRequests() {
    load(2);
    Remote remote = firstBatch(10_000);
    assertTrue(remote.bytes.get() < state * 11 / 10, remote.bytes + " bytes of " + state);
    assertTrue(remote.waited.get() < 60, remote.waited + " requests were waited for");
  }

  @Test
  void manySmallBatchesAreExpectedToGoOn() {
    load(1);
    for (int i = 0; i < 4; i++) {
      try (EngineServices services = EngineServices.create(64 << 20, 1);
          EpochStore store = EpochStore.at(memory, OPTIONS, services);
          Transaction batch = store.begin(version, null)) {
        Rows.put(batch, batch.table("t"), "row-" + i, VALUE + i);
        version = batch.commit().version();
      }
    }
    int rows = (int) (400 * state / (1L << 30));
    Remote remote = firstBatch(rows);
    double share = 100.0 * remote.bytes.get() / state;
    assertTrue(share < 5, rows + " rows read " + share + " % of " + state);
  }

  @Test
  void afterLargeBatchesAllIsAskedForSooner() {
    load(2);
    int unexpected = lone(firstBatch(10_000));
    memory.objects.clear();
    version = 0;
    load(4);
    int expected = lone(firstBatch(10_000));
    assertTrue(expected <= unexpected - 5, expected + " lone requests, " + unexpected + " before");
  }

  /** Requests for a few blocks. */
  private static int lone(Remote remote) {
    return remote.small.get();
  }
}
