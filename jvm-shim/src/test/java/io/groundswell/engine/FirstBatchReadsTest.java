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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the first batch after a restart asks of storage on which requests are dear. */
class FirstBatchReadsTest {
  private static final int ROWS = 100_000;
  private static final int COMMITS = 4;
  private static final String VALUE = "v".repeat(150);
  private static final StoreOptions OPTIONS =
      new StoreOptions(4096, 1000, 10, 64 << 20, Compression.NONE);

  /** Counts, and tells the requests of the reading thread from those beside it. */
  private static final class Remote extends RemoteObjectStore {
    final AtomicLong bytes = new AtomicLong();
    final AtomicInteger waited = new AtomicInteger();
    final Thread reader = Thread.currentThread();

    Remote(ObjectStore store) {
      super(store);
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
      bytes.addAndGet(length);
      if (Thread.currentThread() == reader) {
        waited.incrementAndGet();
      }
      return super.read(name, offset, length);
    }
  }

  private final MemoryObjectStore memory = new MemoryObjectStore();
  private final Random random = new Random(5);
  private long state;

  @BeforeEach
  void load() {
    long version = 0;
    try (EngineServices services = EngineServices.create(64 << 20, 1);
        EpochStore store = EpochStore.at(memory, OPTIONS, services)) {
      for (int i = 0; i < COMMITS; i++) {
        try (Transaction batch = store.begin(version, null)) {
          TableSpec table = batch.createTable("t", Layout.HASHED, true);
          for (int row = i; row < ROWS; row += COMMITS) {
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
        Transaction batch = store.begin(COMMITS, null)) {
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
    int rows = (int) (400 * state / (1L << 30)); // as 400 rows of a gigabyte
    Remote remote = firstBatch(rows);
    double share = 100.0 * remote.bytes.get() / state;
    assertTrue(share < 5, rows + " rows read " + share + " % of " + state);
  }

  @Test
  void rowsThatTouchEveryBlockWaitForFewRequests() {
    Remote remote = firstBatch(10_000);
    assertTrue(remote.bytes.get() < state * 11 / 10, remote.bytes + " bytes of " + state);
    long most = 2 * state / (1 << 20) + 8 * COMMITS;
    assertTrue(remote.waited.get() < most, remote.waited + " requests were waited for");
  }
}
