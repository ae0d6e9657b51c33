package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.RemoteObjectStore;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where a request is mostly waiting, what a first read needs is asked for side by side. */
class SideBySideReadsTest {
  private static final int COMMITS = 5;

  /** A read waits until so many others wait, too; so they cannot come one after the other. */
  private static final class Remote extends RemoteObjectStore {
    private volatile CountDownLatch together = new CountDownLatch(0);

    Remote(MemoryObjectStore store) {
      super(store);
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
      together.countDown();
      try {
        assertTrue(together.await(20, TimeUnit.SECONDS), together.getCount() + " are missing");
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      return super.read(name, offset, length);
    }
  }

  @Test
  void theFirstRowAsksAllSubLevelsAtOnce() {
    Remote remote = new Remote(new MemoryObjectStore());
    StoreOptions options = new StoreOptions(1024, 1000, 10);
    long version = 0;
    try (EngineServices services = EngineServices.create(8 << 20, 1);
        EpochStore store = EpochStore.at(remote, options, services)) {
      for (int i = 0; i < COMMITS; i++) {
        try (Transaction batch = store.begin(version, null)) {
          TableSpec table = batch.createTable("t", Layout.HASHED, false);
          Rows.put(batch, table, "row-" + i, "value-" + i);
          version = batch.commit().version();
        }
      }
    }
    try (EngineServices services = EngineServices.create(8 << 20, 1);
        EpochStore store = EpochStore.at(remote, options, services);
        Snapshot snapshot = store.snapshot(version, null)) {
      remote.together = new CountDownLatch(COMMITS);
      assertEquals("value-0", Rows.get(snapshot, snapshot.table("t"), "row-0"));
      assertEquals(0, remote.together.getCount());
    }
  }
}
