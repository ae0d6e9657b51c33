package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.RemoteObjectStore;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What stays in memory, seen from a store: by the reads of its storage. */
class CacheUseTest {
  private static final String VALUE = "v".repeat(100);

  private final MemoryObjectStore folder = new MemoryObjectStore();

  private static String key(int i) {
    return "key-" + i;
  }

  private static long load(EpochStore store, long version, int from, int to) {
    try (Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.createTable("t", Layout.HASHED, false);
      for (int i = from; i < to; i++) {
        Rows.put(batch, table, key(i), VALUE + i);
      }
      return batch.commit().version();
    }
  }

  private static void expect(Snapshot snapshot, int i) {
    assertEquals(VALUE + i, Rows.get(snapshot, snapshot.table("t"), key(i)));
  }

  @Test
  void whatWasJustCommittedIsReadFromMemory() {
    try (EngineServices services = EngineServices.create(8 << 20, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      long version = load(store, 0, 0, 1000);
      version = load(store, version, 1000, 2000);
      long before = folder.reads.get();
      try (Snapshot snapshot = store.snapshot(version, null)) {
        for (int i = 0; i < 2000; i++) {
          expect(snapshot, i);
        }
        assertEquals(2000, Rows.all(snapshot.scan(snapshot.table("t"))).size());
      }
      assertEquals(before, folder.reads.get());
      assertTrue(store.metrics().get("cacheHits") >= 2000);
      assertEquals(0, store.metrics().get("cacheMisses"));
    }
  }

  @Test
  void aCommitLargerThanItsShareKeepsItsFirstBlocksAndAllOfItsRows() {
    try (EngineServices services = EngineServices.create(256 << 10, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      long version = load(store, 0, 0, 5000);
      try (Snapshot snapshot = store.snapshot(version, null)) {
        assertEquals(5000, Rows.all(snapshot.scan(snapshot.table("t"))).size());
        for (int i = 0; i < 5000; i += 7) {
          expect(snapshot, i);
        }
      }
      assertTrue(services.cacheMemoryBytes() <= 256 << 10);
    }
  }

  @Test
  void whatAMergeReplacedLeavesTheCacheThoughItIsRetained() {
    try (EngineServices services = EngineServices.create(8 << 20, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      long version = 0;
      for (int i = 0; i < 5; i++) {
        version = load(store, version, 1000 * i, 1000 * i + 1000);
      }
      long before = store.metrics().get("cacheBytes");
      long pinned = store.metrics().get("cachePinnedBytes");
      assertTrue(before > 500_000, before + " bytes of five commits");
      try (Snapshot old = store.snapshot(version, null)) {
        assertTrue(store.compact(version, null));
        long merged = load(store, version, 5000, 5001);
        long after = store.metrics().get("cacheBytes");
        assertTrue(after < before / 10, after + " bytes, " + before + " before the merge");
        try (Snapshot now = store.snapshot(merged, null)) {
          expect(now, 1234);
        }
        after = store.metrics().get("cachePinnedBytes");
        assertTrue(after < pinned * 1.3, after + " bytes pinned, " + pinned + " before the merge");
        expect(old, 1234);
        assertEquals(5000, Rows.all(old.scan(old.table("t"))).size());
      }
    }
  }

  @Test
  void whatAMergeWroteIsReadFromMemoryWhereRequestsAreSlow() {
    ObjectStore remote = new RemoteObjectStore(folder);
    try (EngineServices services = EngineServices.create(16 << 20, 1);
        EpochStore store = EpochStore.at(remote, new StoreOptions(1024, 1000, 10), services)) {
      long version = 0;
      for (int i = 0; i < 5; i++) {
        version = load(store, version, 1000 * i, 1000 * i + 1000);
      }
      assertTrue(store.compact(version, null));
      version = load(store, version, 5000, 5001);
      long before = folder.reads.get();
      try (Snapshot now = store.snapshot(version, null)) {
        assertEquals(5001, Rows.all(now.scan(now.table("t"))).size());
        expect(now, 1234);
      }
      assertEquals(before, folder.reads.get());
    }
  }

  @Test
  void whatAMergeWroteIsReadFromMemoryIfItsInputsWereInUse() {
    try (EngineServices services = EngineServices.create(16 << 20, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      long version = 0;
      for (int i = 0; i < 5; i++) {
        version = load(store, version, 1000 * i, 1000 * i + 1000);
      }
      try (Snapshot now = store.snapshot(version, null)) {
        for (int i = 0; i < 5000; i++) {
          expect(now, i);
        }
      }
      assertTrue(store.compact(version, null));
      version = load(store, version, 5000, 5001);
      long before = folder.reads.get();
      try (Snapshot now = store.snapshot(version, null)) {
        for (int i = 0; i <= 5000; i++) {
          expect(now, i);
        }
      }
      assertEquals(before, folder.reads.get());
    }
  }

  @Test
  void aScanOfTenTimesTheCacheLeavesTheHotRowsInMemory() {
    try (EngineServices services = EngineServices.create(256 << 10, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      long version = load(store, 0, 0, 25_000);
      try (Snapshot snapshot = store.snapshot(version, null)) {
        Random random = new Random(1);
        int[] hot = random.ints(40, 0, 25_000).toArray();
        for (int i = 0; i < 2000; i++) {
          expect(snapshot, hot[random.nextInt(hot.length)]);
        }
        assertEquals(25_000, Rows.all(snapshot.scan(snapshot.table("t"))).size());
        long before = folder.reads.get();
        for (int row : hot) {
          expect(snapshot, row);
        }
        long again = folder.reads.get() - before;
        assertTrue(again <= 4, again + " of 40 hot blocks were read again after the scan");
      }
    }
  }

  @Test
  void indexesLargerThanTheCacheAreNotReadAgainForEveryRow() {
    try (EngineServices services = EngineServices.create(8 << 10, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      long version = 0;
      for (int i = 0; i < 10; i++) {
        version = load(store, version, i * 1000, i * 1000 + 1000);
      }
      try (Snapshot snapshot = store.snapshot(version, null)) {
        expect(snapshot, 0); // every index has been asked
        long before = folder.reads.get();
        for (int i = 0; i < 500; i++) {
          expect(snapshot, i);
        }
        long reads = folder.reads.get() - before;
        assertTrue(reads <= 2 * 500, reads + " reads for 500 rows");
      }
    }
  }
}
