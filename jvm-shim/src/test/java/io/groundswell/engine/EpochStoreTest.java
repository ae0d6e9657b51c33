package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.delete;
import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.prefix;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.Compression;
import io.groundswell.testing.MemoryObjectStore;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EpochStoreTest {
  private final MemoryObjectStore folder = new MemoryObjectStore();
  private final EngineServices services = EngineServices.create(8 << 20, 1);
  private final EpochStore store = EpochStore.at(folder, new StoreOptions(512, 4, 10), services);

  @AfterEach
  void close() {
    store.close();
    services.close();
  }

  private EpochStore reopened() {
    return EpochStore.at(folder, new StoreOptions(512, 4, 10), services);
  }

  private static void assertCode(ErrorCode code, Runnable call) {
    assertEquals(code, assertThrows(EngineException.class, call::run).code());
  }

  /** Commits one row on top of a version. */
  private Transaction.Commit commit(long base, String key, String value) {
    try (Transaction batch = store.begin(base, null)) {
      put(batch, batch.createTable("t", Layout.HASHED, true), key, value);
      return batch.commit();
    }
  }

  @Test
  void aCommitIsOneObjectAndOpensFromFilesAlone() {
    Transaction.Commit first = commit(0, "a", "1");
    assertEquals(1, first.version());
    assertNull(first.baseId());
    assertEquals(1, first.rowsWritten());
    assertEquals(1, folder.objects.size());
    assertEquals(first.bytesWritten(), folder.objects.firstEntry().getValue().length);
    try (Snapshot snapshot = reopened().snapshot(1, null)) {
      assertEquals(first.id(), snapshot.id());
      assertEquals("1", get(snapshot, snapshot.table("t"), "a"));
      assertNull(get(snapshot, snapshot.table("t"), "b"));
      assertEquals(1, snapshot.count(snapshot.table("t")));
    }
  }

  @Test
  void anEmptyBatchIsACommitToo() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      assertEquals(0, batch.commit().rowsWritten());
    }
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals("1", get(snapshot, snapshot.table("t"), "a"));
    }
  }

  @Test
  void stateThatIsTakenUpAgainOutlivesWhatWasThereBefore() {
    for (int version = 0; version < 5; version++) {
      commit(version, "before", "" + version);
    }
    try (EpochStore later = reopened()) {
      try (Transaction batch = later.beginAnew()) {
        put(batch, batch.createTable("t", Layout.HASHED, true), "after", "1");
        assertEquals(6, batch.commit().version());
      }
      later.retire(5);
      try (Snapshot snapshot = later.snapshot(6, null)) {
        assertNull(get(snapshot, snapshot.table("t"), "before"));
        assertEquals("1", get(snapshot, snapshot.table("t"), "after"));
      }
    }
  }

  /** A commit that failed, and yet is there, may refer to some files of a merge and not to all. */
  @Test
  void aMergeOfWhichAnyFileIsGoneIsNotTakenIn() {
    int files = 1;
    for (int lost = 0; lost < files; lost++) {
      MemoryObjectStore objects = new MemoryObjectStore();
      StoreOptions small = new StoreOptions(64, 1000, 10, 1024, Compression.NONE);
      try (EpochStore merging = EpochStore.at(objects, small, services)) {
        String id = null;
        for (int version = 0; version < 3; version++) {
          try (Transaction batch = merging.begin(version, null)) {
            TableSpec table = batch.createTable("t", Layout.HASHED, true);
            for (int row = 0; row < 100; row++) {
              put(batch, table, "row " + row, "" + version);
            }
            id = batch.commit().id();
          }
        }
        assertTrue(merging.compact(3, id));
        List<String> merged =
            objects.objects.keySet().stream().filter(name -> name.endsWith(".sst")).toList();
        files = merged.size();
        assertTrue(files > 2);
        objects.objects.remove(merged.get(lost));
        try (Transaction batch = merging.begin(3, null)) {
          put(batch, batch.createTable("t", Layout.HASHED, true), "row 0", "4");
          batch.commit();
        }
        try (EngineServices cold = EngineServices.create(8 << 20, 1);
            Snapshot snapshot = EpochStore.at(objects, small, cold).snapshot(4, null)) {
          for (int row = 1; row < 100; row++) {
            assertEquals("2", get(snapshot, snapshot.table("t"), "row " + row));
          }
        }
      }
    }
  }

  @Test
  void theNextBatchNeedsNoLookAtTheStorage() {
    commit(0, "a", "1");
    long reads = store.metrics().get("manifestsRead");
    store.begin(1, null).abort();
    assertEquals(reads, store.metrics().get("manifestsRead"));
  }

  @Test
  void severalAttemptsAtOneVersionStayApart() {
    commit(0, "a", "0");
    Transaction one = store.begin(1, null);
    Transaction two = store.begin(1, null);
    put(one, one.table("t"), "a", "one");
    put(two, two.table("t"), "a", "two");
    Transaction.Commit first = one.commit();
    Transaction.Commit second = two.commit();
    assertNotEquals(first.id(), second.id());
    try (Snapshot a = store.snapshot(2, first.id()); Snapshot b = store.snapshot(2, second.id());
        Snapshot newest = reopened().snapshot(2, null)) {
      assertEquals("one", get(a, a.table("t"), "a"));
      assertEquals("two", get(b, b.table("t"), "a"));
      assertEquals("two", get(newest, newest.table("t"), "a"));
    }
  }

  @Test
  void anOlderVersionCanBeContinuedAfterNewerOnesExist() {
    commit(0, "a", "1");
    commit(1, "a", "2");
    commit(2, "a", "3");
    commit(1, "b", "x");
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals(List.of("a=1", "b=x"), sorted(snapshot));
    }
    try (Snapshot snapshot = reopened().snapshot(3, null)) {
      assertEquals(List.of("a=3"), sorted(snapshot));
    }
  }

  @Test
  void theLastWriterWinsEvenIfItsClockIsLate() {
    commit(0, "a", "1");
    commit(1, "a", "early clock");
    EngineServices late = EngineServices.create(0, 1, () -> Instant.EPOCH);
    try (EpochStore other = EpochStore.at(folder, StoreOptions.defaults(), late)) {
      Transaction batch = other.begin(1, null);
      put(batch, batch.table("t"), "a", "late clock");
      batch.commit();
    }
    late.close();
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals(List.of("a=late clock"), sorted(snapshot));
    }
  }

  private static List<String> sorted(Reader reader) {
    TableSpec table =
        reader instanceof Snapshot s ? s.table("t") : ((Transaction) reader).table("t");
    return all(reader.scan(table)).stream().sorted().toList();
  }

  @Test
  void aBatchSeesItsOwnWritesAndNobodyElseDoes() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null); Snapshot snapshot = store.snapshot(1, null)) {
      TableSpec table = batch.table("t");
      put(batch, table, "a", "2");
      put(batch, table, "b", "3");
      delete(batch, table, "a");
      assertNull(get(batch, table, "a"));
      assertEquals(List.of("b=3"), sorted(batch));
      assertEquals(1, batch.count(table));
      assertEquals(List.of("a=1"), sorted(snapshot));
    }
    assertEquals(1, folder.objects.size(), "an aborted batch leaves nothing");
  }

  @Test
  void aDeleteOfAKeyThatIsNowhereWritesNothing() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      delete(batch, table, "none");
      put(batch, table, "b", "1");
      delete(batch, table, "b");
      assertEquals(1, batch.count(table));
      assertEquals(0, batch.commit().rowsWritten());
    }
  }

  @Test
  void removingWhileScanningDoesNotDisturbTheScan() {
    try (Transaction batch = store.begin(0, null)) {
      TableSpec table = batch.createTable("t", Layout.HASHED, true);
      for (int i = 0; i < 100; i++) {
        put(batch, table, "g:" + (100 + i), "v");
      }
      batch.commit();
    }
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      for (int i = 100; i < 150; i++) {
        put(batch, table, "g:" + (100 + i), "w");
      }
      int seen = 0;
      try (RowCursor rows = prefix(batch, table, "g:")) {
        while (rows.next()) {
          delete(batch, table, Rows.text(rows.key()));
          put(batch, table, "g:9" + seen, "new");
          seen++;
        }
      }
      assertEquals(150, seen);
      assertEquals(150, batch.count(table));
      assertEquals(150, all(prefix(batch, table, "g:9")).size());
    }
  }

  @Test
  void aDroppedTableIsGoneAndItsNameIsFree() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      TableSpec old = batch.table("t");
      put(batch, old, "b", "2");
      assertTrue(batch.dropTable("t"));
      assertFalse(batch.dropTable("t"));
      assertCode(ErrorCode.INVALID_ARGUMENT, () -> get(batch, old, "a"));
      TableSpec fresh = batch.createTable("t", Layout.ORDERED, true);
      assertNotEquals(old.id(), fresh.id());
      assertNull(get(batch, fresh, "a"));
      assertEquals(0, batch.count(fresh));
      assertEquals(0, batch.commit().rowsWritten());
    }
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals(List.of(), all(snapshot.scan(snapshot.table("t"))));
      assertEquals(0, store.metrics().get("files"), "a file with dropped rows only is left out");
    }
  }

  @Test
  void aTableKeepsItsLayout() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      assertCode(ErrorCode.INVALID_ARGUMENT, () -> batch.createTable("t", Layout.ORDERED, true));
      assertEquals(batch.table("t"), batch.createTable("t", Layout.HASHED, true));
    }
  }

  @Test
  void aMissingVersionSaysWhatThereIs() {
    commit(0, "a", "1");
    EngineException error = assertThrows(EngineException.class, () -> reopened().snapshot(7, null));
    assertEquals(ErrorCode.VERSION_UNAVAILABLE, error.code());
    assertTrue(error.getMessage().contains(folder.location()), error.getMessage());
    assertTrue(error.getMessage().contains("version 7"), error.getMessage());
    assertTrue(error.getMessage().contains("from 1 to 1"), error.getMessage());
    assertCode(ErrorCode.VERSION_UNAVAILABLE, () -> store.begin(1, "00000000000000000000"));
  }

  @Test
  void nothingCanBeDoneWithABatchThatEnded() {
    Transaction batch = store.begin(0, null);
    TableSpec table = batch.createTable("t", Layout.HASHED, true);
    batch.commit();
    assertCode(ErrorCode.ILLEGAL_STATE, () -> get(batch, table, "a"));
    assertCode(ErrorCode.ILLEGAL_STATE, () -> put(batch, table, "a", "1"));
    assertCode(ErrorCode.ILLEGAL_STATE, batch::commit);
    batch.abort();
    batch.close();
  }

  @Test
  void retirementKeepsWhatRetainedVersionsAndLiveReadersNeed() {
    for (int i = 0; i < 6; i++) {
      commit(i, "k" + i, "v" + i);
    }
    folder.objects.put("_metadata", new byte[1]);
    Snapshot pinned = store.snapshot(2, null);
    assertEquals(0, reopened().retire(0));
    store.retire(6);
    assertEquals(List.of("k0=v0", "k1=v1"), sorted(pinned));
    pinned.close();
    try (Snapshot newest = reopened().snapshot(6, null)) {
      assertEquals(6, all(newest.scan(newest.table("t"))).size());
    }
    assertCode(ErrorCode.VERSION_UNAVAILABLE, () -> store.snapshot(2, null));
    assertTrue(folder.objects.containsKey("_metadata"), "not ours to delete");
    assertEquals(6, store.versions().firstKey());
    store.retire(1_000);
    assertEquals(6, store.versions().lastKey(), "the newest version stays");
  }

  @Test
  void aMergeIsTakenInByTheNextCommitAndItsInputsCanGo() {
    for (int i = 0; i < 3; i++) {
      commit(i, "k" + i, "v" + i);
    }
    assertTrue(store.compact(3, null));
    assertFalse(store.compact(3, null), "the first result waits");
    commit(3, "k3", "v3");
    assertEquals(1, store.metrics().get("subLevels"));
    assertEquals(1, store.metrics().get("levels"));
    store.retire(4);
    assertEquals(2, folder.objects.size());
    try (Snapshot newest = reopened().snapshot(4, null)) {
      assertEquals(List.of("k0=v0", "k1=v1", "k2=v2", "k3=v3"), sorted(newest));
    }
  }

  @Test
  void aLargeMergeIsSplitIntoFilesWithoutOverlap() {
    StoreOptions small =
        new StoreOptions(512, 1000, 10, 4096, StoreOptions.defaults().compression());
    try (EpochStore split = EpochStore.at(folder, small, services)) {
      for (int version = 0; version < 3; version++) {
        try (Transaction batch = split.begin(version, null)) {
          TableSpec table = batch.createTable("t", Layout.ORDERED, true);
          for (int i = version; i < 1_000; i += 2) {
            put(batch, table, String.format("%06d", i), "v" + version);
          }
          batch.commit();
        }
      }
      assertTrue(split.compact(3, null));
      try (Transaction batch = split.begin(3, null)) {
        batch.commit(); // checks, as every commit, that files of a run do not overlap
      }
      assertEquals(0, split.metrics().get("subLevels"));
      assertEquals(1, split.metrics().get("levels"));
      assertTrue(split.metrics().get("files") >= 3, split.metrics().toString());
      try (Snapshot snapshot = split.snapshot(4, null)) {
        TableSpec table = snapshot.table("t");
        List<String> rows = all(snapshot.scan(table));
        assertEquals(1_000, rows.size());
        for (int i = 0; i < 1_000; i++) {
          String key = String.format("%06d", i);
          String value = i == 0 ? "v0" : i % 2 == 1 ? "v1" : "v2";
          assertEquals(key + "=" + value, rows.get(i));
          assertEquals(value, get(snapshot, table, key));
        }
        assertNull(get(snapshot, table, "0005"));
        assertNull(get(snapshot, table, "zzz"));
        assertEquals(
            500, all(snapshot.range(table, Rows.bytes("000250"), Rows.bytes("000750"))).size());
      }
    }
  }

  @Test
  void aMergeOfAVersionThatDroppedATableIsNotTakenInWhereTheTableLives() {
    for (int base = 0; base < 3; base++) { // files with rows of both, so that none can just go
      try (Transaction batch = store.begin(base, null)) {
        put(batch, batch.createTable("other", Layout.HASHED, true), "x", "1");
        put(batch, batch.createTable("t", Layout.HASHED, true), "b" + base, "2");
        batch.commit();
      }
    }
    try (Transaction batch = store.begin(3, null)) {
      batch.dropTable("t");
      batch.commit();
    }
    assertTrue(store.compact(4, null));
    assertEquals(5, store.metrics().get("compactionEntriesDropped"));
    commit(3, "c", "3");
    try (Snapshot again = reopened().snapshot(4, null)) {
      assertEquals(List.of("b0=2", "b1=2", "b2=2", "c=3"), sorted(again));
    }
  }

  @Test
  void anOlderEpochCanBeReadUntilAMergeDropsIt() {
    commit(0, "a", "1");
    commit(1, "a", "2");
    commit(2, "a", "3");
    try (Snapshot snapshot = store.snapshot(3, null)) {
      assertEquals("1", get(snapshot.asOf(1), snapshot.table("t"), "a"));
      assertEquals("2", get(snapshot.asOf(2), snapshot.table("t"), "a"));
      assertNull(get(snapshot.asOf(0), snapshot.table("t"), "a"));
      assertCode(ErrorCode.VERSION_UNAVAILABLE, () -> snapshot.asOf(4));
    }
    try (Snapshot pin = store.snapshot(2, null)) {
      assertTrue(store.compact(3, null));
      assertEquals("2", get(pin, pin.table("t"), "a"));
    }
    commit(3, "b", "1");
    try (Snapshot snapshot = reopened().snapshot(4, null)) {
      assertEquals("2", get(snapshot.asOf(2), snapshot.table("t"), "a"), "a reader had pinned it");
      assertEquals("3", get(snapshot.asOf(3), snapshot.table("t"), "a"));
      assertCode(ErrorCode.VERSION_UNAVAILABLE, () -> snapshot.asOf(1));
    }
  }
}
