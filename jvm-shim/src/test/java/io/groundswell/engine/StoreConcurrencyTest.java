package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.testing.MemoryObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Commits, reads, merges and retirement at once: as Spark's task and maintenance threads do. */
class StoreConcurrencyTest {
  private static final int ACCOUNTS = 200;
  private static final int TOTAL = ACCOUNTS * 100;
  private static final int BATCHES = 100;

  private final MemoryObjectStore folder = new MemoryObjectStore();
  private final AtomicLong newest = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile boolean done;

  @Test
  void everyReaderSeesAWholeVersion() throws Exception {
    EngineServices services = EngineServices.create(64 << 10, 1);
    EpochStore store = EpochStore.at(folder, new StoreOptions(256, 2, 10), services);
    transfer(store, -1);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Void>> running = new ArrayList<>();
    running.add(threads.submit(task(() -> write(store))));
    running.add(threads.submit(task(() -> read(store))));
    running.add(threads.submit(task(() -> read(store))));
    running.add(threads.submit(task(() -> retire(store))));
    for (Future<Void> thread : running) {
      thread.get();
    }
    threads.shutdown();
    assertEquals(BATCHES + 1, newest.get());
    store.retire(newest.get());
    assertTrue(store.metrics().get("compactionRuns") > 0, store.metrics().toString());
    assertEquals(0, store.metrics().get("compactionFailures"));
    assertTrue(store.metrics().get("retiredFiles") > BATCHES / 2, store.metrics().toString());
    store.close();
    // What is left is enough, also for another process.
    try (EpochStore again = EpochStore.at(folder, StoreOptions.defaults(), services);
        Snapshot snapshot = again.snapshot(newest.get(), null)) {
      assertEquals(TOTAL, total(snapshot));
    }
    services.close();
  }

  private Callable<Void> task(Runnable body) {
    return () -> {
      try {
        body.run();
        return null;
      } finally {
        done = true;
      }
    };
  }

  private void write(EpochStore store) {
    for (int n = 0; n < BATCHES; n++) {
      transfer(store, n);
    }
  }

  /** Moves money between accounts; the sum stays. */
  private void transfer(EpochStore store, int n) {
    Random random = new Random(n);
    try (Transaction batch = store.begin(newest.get(), null)) {
      TableSpec table = batch.createTable("accounts", Layout.HASHED, true);
      for (int i = 0; i < ACCOUNTS && n < 0; i++) {
        Rows.put(batch, table, "a:" + i, "100");
      }
      for (int i = 0; i < 20 && n >= 0; i++) {
        String from = "a:" + random.nextInt(ACCOUNTS);
        String to = "a:" + random.nextInt(ACCOUNTS);
        Rows.put(batch, table, from, "" + (Integer.parseInt(Rows.get(batch, table, from)) - 1));
        Rows.put(batch, table, to, "" + (Integer.parseInt(Rows.get(batch, table, to)) + 1));
      }
      newest.set(batch.commit().version());
    }
  }

  private void read(EpochStore store) {
    while (!done || reads.get() == 0) {
      long version = newest.get();
      try (Snapshot snapshot = store.snapshot(version, null)) {
        assertEquals(TOTAL, total(snapshot));
        reads.incrementAndGet();
      } catch (EngineException e) {
        if (e.code() != ErrorCode.VERSION_UNAVAILABLE) {
          throw e;
        }
        assertTrue(version < newest.get(), e.getMessage());
      }
    }
  }

  private static int total(Snapshot snapshot) {
    TableSpec table = snapshot.table("accounts");
    int total = 0;
    try (RowCursor rows = snapshot.scan(table)) {
      while (rows.next()) {
        total += Integer.parseInt(Rows.text(rows.value()));
      }
    }
    assertEquals(ACCOUNTS, snapshot.count(table));
    return total;
  }

  private void retire(EpochStore store) {
    while (!done) {
      store.retire(newest.get());
    }
  }
}
