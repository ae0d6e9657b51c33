package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.delete;
import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.prefix;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches that outgrow their memory. */
class SpillTest {
  private static final int ROWS = 3_000;
  private static final long BUDGET = 64 << 10;

  private final MemoryObjectStore disk = new MemoryObjectStore();
  private final FaultyObjectStore storage = new FaultyObjectStore(disk);
  private final EngineServices services =
      EngineServices.create(1 << 20, 1, BUDGET, InstantSource.system());
  private final EpochStore store = open();

  @AfterEach
  void close() {
    store.close();
    services.close();
  }

  private EpochStore open() {
    return EpochStore.at(storage, new StoreOptions(1024, 1000, 10), services);
  }

  private static String key(int i) {
    return String.format("%03d:%05d", i * 37 % 100, i);
  }

  private static void load(Transaction batch, TableSpec table, int rows, String value) {
    for (int i = 0; i < rows; i++) {
      put(batch, table, key(i), value + i);
    }
  }

  private TableSpec table(Transaction batch) {
    return batch.createTable("t", Layout.HASHED, true);
  }

  private long sstFiles() {
    return disk.objects.keySet().stream().filter(name -> name.endsWith(".sst")).count();
  }

  @Test
  void aBatchReadsItsSpilledRowsAndCommitsThemAsOneSubLevel() {
    try (Transaction batch = store.begin(0, null)) {
      TableSpec table = table(batch);
      load(batch, table, ROWS, "a");
      assertTrue(store.metrics().get("memtableSpills") > 3);
      assertTrue(batch.memoryBytes() < 2 * BUDGET, batch.memoryBytes() + " bytes held");
      assertEquals(ROWS, batch.count(table));
      assertEquals("a5", get(batch, table, key(5)));
      assertNull(get(batch, table, "none"));
      assertEquals(ROWS, all(batch.scan(table)).size());
      assertEquals(30, all(prefix(batch, table, "037:")).size());
      assertEquals(List.of(), List.copyOf(store.versions().keySet()), "others see nothing of it");
      batch.commit();
    }
    assertEquals(1, store.metrics().get("subLevels"));
    try (EpochStore again = open(); Snapshot snapshot = again.snapshot(1, null)) {
      TableSpec table = snapshot.table("t");
      assertEquals(ROWS, snapshot.count(table));
      assertEquals(ROWS, all(snapshot.scan(table)).size());
      assertEquals("a2999", get(snapshot, table, key(2999)));
    }
    assertEquals(store.metrics().get("files"), sstFiles(), "what was merged is deleted");
  }

  /** Each key goes through put, overwrite and delete, with spills anywhere between. */
  @Test
  void newerRowsShadowSpilledOnesAndThoseTheBase() {
    TreeMap<String, String> model = new TreeMap<>();
    for (int version = 0; version < 3; version++) {
      try (Transaction batch = store.begin(version, null)) {
        TableSpec table = table(batch);
        for (int round = 0; round < 4; round++) {
          for (int i = 0; i < ROWS / 2; i++) {
            String key = key((i * 7 + round * 101 + version * 13) % ROWS);
            if ((i + round) % 3 == 0) {
              delete(batch, table, key);
              model.remove(key);
            } else {
              put(batch, table, key, version + "." + round);
              model.put(key, version + "." + round);
            }
          }
          assertEquals(model.size(), batch.count(table));
          for (int i = 0; i < ROWS; i += 11) {
            assertEquals(model.get(key(i)), get(batch, table, key(i)));
          }
        }
        TreeMap<String, String> seen = new TreeMap<>();
        all(batch.scan(table)).forEach(row -> seen.put(row.split("=")[0], row.split("=")[1]));
        assertEquals(model, seen);
        batch.commit();
      }
      try (Snapshot snapshot = store.snapshot(version + 1, null)) {
        assertEquals(model.size(), all(snapshot.scan(snapshot.table("t"))).size());
        assertEquals(model.size(), snapshot.count(snapshot.table("t")));
      }
    }
    assertTrue(store.metrics().get("memtableSpills") > 9);
    assertEquals(3, store.metrics().get("subLevels"));
  }

  @Test
  void aScanShowsItsFirstMomentThoughTheBatchSpillsMeanwhile() {
    try (Transaction batch = store.begin(0, null)) {
      TableSpec table = table(batch);
      load(batch, table, 500, "old");
      RowCursor before = batch.scan(table);
      assertTrue(before.next());
      load(batch, table, ROWS, "new");
      assertTrue(store.metrics().get("memtableSpills") > 3);
      int rows = 1;
      while (before.next()) {
        assertTrue(Rows.text(before.value()).startsWith("old"));
        rows++;
      }
      assertEquals(500, rows);
    }
  }

  @Test
  void rowsBeforeABatchAreNoneOfThoseThatItSpilled() {
    try (Transaction batch = store.begin(0, null)) {
      put(batch, table(batch), "before", "v");
      batch.commit();
    }
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = table(batch);
      load(batch, table, ROWS, "a");
      assertTrue(store.metrics().get("memtableSpills") > 3);
      assertEquals(List.of("before=v"), before(batch, table, "before"));
      assertEquals(List.of(), before(batch, table, "037:"));
      assertEquals(30, all(prefix(batch, table, "037:")).size());
    }
  }

  private static List<String> before(Transaction batch, TableSpec table, String prefix) {
    byte[] bytes = Rows.bytes(prefix);
    return all(batch.prefixBefore(table, Rows.hash(prefix), bytes, 0, bytes.length));
  }

  @Test
  void anAbortedBatchLeavesNoFile() {
    try (Transaction batch = store.begin(0, null)) {
      load(batch, table(batch), ROWS, "a");
      assertTrue(sstFiles() > 3);
    }
    assertEquals(List.of(), List.copyOf(disk.objects.keySet()));
  }

  @Test
  void rowsOfADroppedTableAreNotCommitted() {
    try (Transaction batch = store.begin(0, null)) {
      load(batch, table(batch), ROWS, "a");
      batch.dropTable("t");
      TableSpec again = table(batch);
      assertEquals(0, batch.count(again));
      assertEquals(List.of(), all(batch.scan(again)));
      put(batch, again, "k", "v");
      batch.commit();
    }
    try (Snapshot snapshot = store.snapshot(1, null)) {
      assertEquals(List.of("k=v"), all(snapshot.scan(snapshot.table("t"))));
    }
    assertEquals(1, sstFiles());
  }

  /** The last spill of the commit was the one that made all runs be merged, into nothing. */
  @Test
  @Reaches({Mark.SPILL_MERGED_EARLY, Mark.SPILL_LEFT_NOTHING, Mark.SPILL_GONE_BEFORE_COMMIT,
      Mark.MERGE_LEFT_NOTHING, Mark.MERGE_AT_THE_BOTTOM, Mark.KEY_REPEATED_IN_A_BATCH})
  void aBatchThatDeletesAllItSpilledCommitsNothing() {
    EngineServices tiny = EngineServices.create(1 << 20, 1, 1, InstantSource.system());
    try (EpochStore spiller = EpochStore.at(disk, StoreOptions.defaults(), tiny)) {
      Transaction batch = spiller.begin(0, null);
      TableSpec table = table(batch);
      for (int round = 0; round < 16; round++) { // a spill after each 16 writes
        for (int i = 0; i < 16; i++) {
          put(batch, table, key(i % 15), "v");
        }
        for (int i = 0; i < (round == 15 ? 15 : 16); i++) {
          delete(batch, table, key(i % 15));
        }
      }
      assertEquals(0, batch.count(table));
      assertEquals(31, spiller.metrics().get("memtableSpills"));
      assertEquals(0, batch.commit().rowsWritten());
      assertEquals(0, spiller.metrics().get("files"));
      assertEquals(0, sstFiles());
    } finally {
      tiny.close();
    }
  }

  @Test
  @Reaches(Mark.SPILL_SIDE_BY_SIDE)
  void filesOfKeysInOrderAreNotWrittenTwice() {
    try (Transaction batch = store.begin(0, null)) {
      TableSpec table = batch.createTable("o", Layout.ORDERED, true);
      for (int i = 0; i < ROWS; i++) {
        put(batch, table, String.format("%06d", i), "value");
      }
      batch.commit();
    }
    assertTrue(storage.injector().bytes(Op.PUT) < 1.3 * store.metrics().get("fileBytes"));
    assertEquals(1, store.metrics().get("subLevels"));
    try (Snapshot snapshot = store.snapshot(1, null)) {
      assertEquals(ROWS, all(snapshot.scan(snapshot.table("o"))).size());
    }
  }

  /** The files of a process that died bear the version that it was about to write. */
  @Test
  void retirementDeletesWhatADeadBatchSpilled() {
    EpochStore dead = open();
    Transaction never = dead.begin(0, null);
    load(never, table(never), ROWS, "dead");
    long orphans = sstFiles();
    assertTrue(orphans > 3);
    for (int version = 0; version < 4; version++) {
      try (Transaction batch = store.begin(version, null)) {
        put(batch, table(batch), "k", "v" + version);
        batch.commit();
      }
    }
    store.retire(1);
    assertEquals(orphans, sstFiles(), "an attempt at a retained version may still be at work");
    store.retire(3);
    assertEquals(0, sstFiles());
  }

  @Test
  void twoAttemptsAtOneVersionSpillSideBySide() {
    Transaction one = store.begin(0, null);
    Transaction two = store.begin(0, null);
    load(one, table(one), ROWS, "one");
    load(two, table(two), ROWS, "two");
    String first = one.commit().id();
    String second = two.commit().id();
    try (Snapshot a = store.snapshot(1, first); Snapshot b = store.snapshot(1, second)) {
      assertEquals("one7", get(a, a.table("t"), key(7)));
      assertEquals("two7", get(b, b.table("t"), key(7)));
      assertEquals(ROWS, all(a.scan(a.table("t"))).size());
      assertEquals(ROWS, all(b.scan(b.table("t"))).size());
    }
  }

  /** Whichever write or publication fails: an error, no half batch, nothing left after abort. */
  @Test
  @Reaches(Mark.SPILL_FILE_STAYS)
  void aStorageThatFailsWhileSpillingFailsTheBatch() {
    for (int nth = 1;; nth++) {
      storage.injector().plan(FaultPlan.NONE);
      disk.objects.clear();
      storage.failOnce(nth);
      boolean failed = false;
      try (Transaction batch = store.begin(0, null)) {
        TableSpec table = table(batch);
        load(batch, table, ROWS, "a");
        batch.commit();
      } catch (EngineException e) {
        assertEquals(ErrorCode.STORAGE, e.code());
        failed = true;
      }
      storage.heal();
      if (!failed) {
        assertTrue(nth > 20, "only " + nth + " operations were tried");
        return;
      }
      assertFalse(disk.objects.keySet().stream().anyMatch(name -> name.endsWith(".commit")));
      try (Transaction batch = store.begin(0, null)) { // and the same batch again succeeds
        load(batch, table(batch), 10, "b");
        batch.commit();
      }
      try (Snapshot snapshot = store.snapshot(1, null)) {
        assertEquals(10, snapshot.count(snapshot.table("t")));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = {"BEFORE", "AFTER"})
  void aCommitWhoseAnswerIsLostKeepsItsFiles(Fault fault) {
    Transaction batch = store.begin(0, null);
    load(batch, table(batch), ROWS, "a");
    storage.injector().plan(
        (op, name) -> op == Op.PUT && name.endsWith(".commit") ? fault : Fault.NONE);
    assertThrows(EngineException.class, batch::commit);
    storage.heal();
    try (EpochStore again = open()) {
      assertEquals(fault == Fault.AFTER ? 1 : 0, again.versions().size());
      if (fault == Fault.AFTER) {
        try (Snapshot snapshot = again.snapshot(1, null)) {
          assertEquals(ROWS, all(snapshot.scan(snapshot.table("t"))).size());
        }
      }
    }
  }

  @Test
  void batchesOfOneJvmShareTheBudget() {
    Transaction large = store.begin(0, null);
    Transaction small = store.begin(0, null);
    load(small, table(small), 20, "s");
    load(large, table(large), ROWS, "l");
    long spills = store.metrics().get("memtableSpills");
    assertTrue(spills > 3);
    for (int i = 0; i < 100; i++) {
      put(small, table(small), "k" + i % 20, "v");
    }
    assertEquals(spills, store.metrics().get("memtableSpills"), "small batches are left in peace");
    assertTrue(store.metrics().get("memtableBytes") < 3 * BUDGET);
    large.abort();
    small.abort();
    assertEquals(0, services.memTables().used());
  }
}
