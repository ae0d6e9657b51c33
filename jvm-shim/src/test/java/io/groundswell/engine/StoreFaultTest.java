package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.delete;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.Fault;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.FaultyObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Op;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store is after its storage failed at any operation. */
class StoreFaultTest {
  private static final int BATCHES = 8;
  private static final StoreOptions OPTIONS =
      new StoreOptions(400, 1000, 10, 1024, StoreOptions.defaults().compression());

  private final EngineServices services = EngineServices.create(1 << 20, 1);

  @AfterEach
  void close() {
    services.close();
  }

  /** A life of a store: batches, now and then a merge or a retirement, and what it should hold. */
  private final class Life {
    final MemoryObjectStore disk = new MemoryObjectStore();
    final FaultyObjectStore storage = new FaultyObjectStore(disk);
    final TreeMap<Long, TreeMap<String, String>> acknowledged = new TreeMap<>();
    TreeMap<String, String> inFlight;
    long oldest;

    /** Runs until the storage fails; false if it did not. */
    boolean failed() {
      acknowledged.put(0L, new TreeMap<>());
      try (EpochStore store = EpochStore.at(storage, OPTIONS, services)) {
        for (int n = 0; n < BATCHES; n++) {
          batch(store, n);
          if (n % 4 == 2) {
            store.compact(acknowledged.lastKey(), null);
          }
          if (n % 4 == 3) {
            oldest = acknowledged.lastKey() - 2;
            store.retire(oldest);
          }
        }
        return false;
      } catch (EngineException e) {
        assertEquals(ErrorCode.STORAGE, e.code());
        return true;
      }
    }

    private void batch(EpochStore store, int n) {
      long base = acknowledged.lastKey();
      TreeMap<String, String> rows = new TreeMap<>(acknowledged.get(base));
      try (Transaction batch = store.begin(base, null)) {
        TableSpec table = batch.createTable("t", Layout.ORDERED, true);
        for (int i = 0; i < 40; i++) {
          String key = String.format("%04d", (n * 31 + i * 7) % 100);
          if (i % 5 == n % 5) {
            delete(batch, table, key);
            rows.remove(key);
          } else {
            put(batch, table, key, "v" + n);
            rows.put(key, "v" + n);
          }
        }
        inFlight = rows;
        acknowledged.put(batch.commit().version(), rows);
        inFlight = null;
      }
    }

    /** Every acknowledged version that is retained reads as it was. */
    void checkAfterwards(Fault publish) {
      try (EpochStore store = EpochStore.at(disk, OPTIONS, services)) {
        NavigableMap<Long, String> versions = store.versions();
        acknowledged.tailMap(Math.max(1, oldest)).forEach((version, rows) -> {
          assertTrue(versions.containsKey(version), "version " + version + " is gone");
          assertEquals(rows, rows(store, version));
        });
        long next = acknowledged.lastKey() + 1;
        assertTrue(versions.isEmpty() || versions.lastKey() <= next);
        if (versions.containsKey(next)) {
          if (publish == Fault.TORN) {
            assertEquals(ErrorCode.CORRUPTION,
                assertThrows(EngineException.class, () -> store.snapshot(next, null)).code());
          } else {
            assertEquals(inFlight, rows(store, next), "half a batch became visible");
          }
        }
        // And life goes on from the last acknowledged version.
        batch(store, 17);
        store.compact(acknowledged.lastKey(), null);
        batch(store, 18);
        store.retire(acknowledged.lastKey());
        assertEquals(acknowledged.lastEntry().getValue(), rows(store, acknowledged.lastKey()));
      }
    }

    private TreeMap<String, String> rows(EpochStore store, long version) {
      TreeMap<String, String> rows = new TreeMap<>();
      try (Snapshot snapshot = store.snapshot(version, null)) {
        TableSpec table = snapshot.table("t");
        for (String row : all(snapshot.scan(table))) {
          rows.put(row.substring(0, row.indexOf('=')), row.substring(row.indexOf('=') + 1));
        }
        assertEquals(rows.size(), snapshot.count(table));
      }
      return rows;
    }
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = {"BEFORE", "AFTER", "TORN"})
  void aCutFromTheStorageAtAnyOperationLosesNothingAcknowledged(Fault publish) {
    int operation = 1;
    for (;; operation++) {
      Life life = new Life();
      life.storage.failFrom(operation, publish);
      boolean failed = life.failed();
      life.checkAfterwards(publish);
      if (!failed) {
        break;
      }
    }
    assertTrue(operation > 50, "only " + operation + " operations were tried");
  }

  @Test
  @Reaches(Mark.MERGE_RESULT_UNREACHABLE)
  void anOperationThatFailsOnceIsOneFailedBatchOrMerge() {
    int failures = 0;
    int merges = 0;
    for (int operation = 1; operation < 150; operation++) {
      Life life = new Life();
      life.storage.failOnce(operation);
      life.acknowledged.put(0L, new TreeMap<>());
      try (EpochStore store = EpochStore.at(life.storage, OPTIONS, services)) {
        for (int n = 0; n < BATCHES; n++) {
          try {
            life.batch(store, n);
          } catch (EngineException e) {
            failures++;
          }
          if (n % 3 == 2) {
            store.compact(life.acknowledged.lastKey(), null);
          }
        }
        merges += (int) store.metrics().get("compactionFailures");
        life.checkAfterwards(Fault.BEFORE);
      }
    }
    assertTrue(failures > 20 && merges > 5, failures + " batches and " + merges + " merges failed");
  }

  @Test
  @Reaches(Mark.MERGE_FAILED)
  void aFailedMergeLeavesNoFileAndIsTriedAgain() {
    Life life = new Life();
    life.acknowledged.put(0L, new TreeMap<>());
    try (EpochStore store = EpochStore.at(life.storage, OPTIONS, services)) {
      life.batch(store, 0);
      life.batch(store, 1);
      int files = life.disk.objects.size();
      life.storage.injector().plan(FaultPlan.next(Op.PUT, 1, Fault.BEFORE));
      assertFalse(store.compact(2, null));
      assertEquals(1, store.metrics().get("compactionFailures"));
      assertEquals(files, life.disk.objects.size());
      assertTrue(store.compact(2, null));
      life.batch(store, 2);
      assertEquals(1, store.metrics().get("subLevels"));
      assertEquals(1, store.metrics().get("levels"));
      assertEquals(life.acknowledged.get(3L), life.rows(store, 3));
    }
  }

  @Test
  void aMergeWhoseFilesWereDeletedByAnotherProcessIsNotTakenIn() {
    Life life = new Life();
    life.acknowledged.put(0L, new TreeMap<>());
    try (EpochStore store = EpochStore.at(life.storage, OPTIONS, services)) {
      life.batch(store, 0);
      life.batch(store, 1);
      assertTrue(store.compact(2, null));
      life.disk.objects.keySet().removeIf(name -> name.endsWith(".sst"));
      life.batch(store, 2);
      assertEquals(life.acknowledged.get(3L), life.rows(store, 3));
      assertEquals(1, store.metrics().get("compactionsDiscarded"));
    }
  }

  @Test
  void aMissingFileIsNamed() {
    Life life = new Life();
    life.acknowledged.put(0L, new TreeMap<>());
    try (EpochStore store = EpochStore.at(life.storage, OPTIONS, services)) {
      life.batch(store, 0);
      life.batch(store, 1);
    }
    String first = life.disk.objects.firstKey();
    life.disk.objects.remove(first);
    EngineServices cold = EngineServices.create(0, 1);
    try (EpochStore store = EpochStore.at(life.storage, OPTIONS, cold)) {
      try (Snapshot snapshot = store.snapshot(2, null)) {
        EngineException error =
            assertThrows(EngineException.class, () -> all(snapshot.scan(snapshot.table("t"))));
        assertEquals(ErrorCode.VERSION_UNAVAILABLE, error.code());
        assertTrue(error.getMessage().contains(first), error.getMessage());
      }
    }
    cold.close();
  }

  @Test
  @Reaches(Mark.COMMIT_WAITS_FOR_MERGE)
  void slowMergesHoldCommitsUpOnlyWhereSubLevelsPileUp() {
    Life life = new Life();
    life.acknowledged.put(0L, new TreeMap<>());
    long most = 0;
    try (EpochStore store = EpochStore.at(life.storage, new StoreOptions(4096, 2, 10), services)) {
      life.storage.delayMerges(100);
      for (int n = 0; n < 5; n++) {
        life.batch(store, n);
      }
      assertEquals(0, store.metrics().get("stallMillis"));
      for (int n = 5; n < 60; n++) {
        life.batch(store, n);
        most = Math.max(most, store.metrics().get("subLevels"));
      }
      assertTrue(store.metrics().get("stallMillis") > 0);
      assertEquals(life.acknowledged.get(60L), life.rows(store, 60));
    }
    assertTrue(most <= 2 * 10 + 1, most + " sub-levels"); // the limit, ten times
  }
}
