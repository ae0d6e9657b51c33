package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.delete;
import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.checkpoint.EpochIds;
import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.EpochSpace;
import io.groundswell.checkpoint.OpenPacks;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.Compression;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.version.Levels;
import io.groundswell.version.Version;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What merges put in the place of files, and what may be deleted when. */
class MergesAndRetirementTest extends StoreFixture {
  @Test
  void stateThatIsTakenUpAgainOutlivesWhatWasThereBefore() {
    for (int version = 0; version < 5; version++) {
      commit(version, "before", "" + version);
    }
    try (EpochStore later = reopened()) {
      long version; // 6, or 7 where a merge has written the files of the version after the fifth
      try (Transaction batch = later.beginAnew(1)) {
        put(batch, batch.createTable("t", Layout.HASHED, true), "after", "1");
        version = batch.commit().version();
      }
      assertTrue(version > 5);
      later.retire(version - 1);
      try (Snapshot snapshot = later.snapshot(version, null)) {
        assertNull(get(snapshot, snapshot.table("t"), "before"));
        assertEquals("1", get(snapshot, snapshot.table("t"), "after"));
      }
    }
  }

  @Test
  @Reaches(Mark.MERGE_RESULT_GONE)
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

  /**
   * A partition goes to another process and comes back while that one still retires: a look at the
   * merge's file, before the commit that takes it in, does not keep the file from being deleted.
   */
  @Test
  void aMergeThatAnotherProcessMayTakeForALeftoverIsNotTakenIn() {
    StoreOptions never = new StoreOptions(512, 1000, 10).withRetained(2);
    EpochStore other = EpochStore.at(folder, never, services);
    AtomicLong retireFrom = new AtomicLong();
    ObjectStore watched = new ForwardingObjectStore(folder) {
      @Override
      public ObjectWriter create(String name) throws IOException {
        if (retireFrom.get() > 0 && FileNames.parse(name).commit()) {
          other.retire(retireFrom.getAndSet(0)); // after the offer's look at the files
        }
        return super.create(name);
      }
    };
    try (other; EpochStore here = EpochStore.at(watched, never, services)) {
      for (int version = 0; version < 3; version++) {
        commit(here, version);
      }
      assertTrue(here.compact(3, null));
      for (int version = 3; version < 9; version++) {
        commit(other, version);
      }
      retireFrom.set(7); // the newest less two, as a maintenance beside commits has it
      commit(here, 9);
      assertEquals(0, retireFrom.get(), "it did retire in between");
      try (EngineServices cold = EngineServices.create(8 << 20, 1);
          Snapshot snapshot = EpochStore.at(folder, never, cold).snapshot(10, null)) {
        assertEquals(10, all(snapshot.scan(snapshot.table("t"))).size());
      }
    }
  }

  private static void commit(EpochStore to, int version) {
    try (Transaction batch = to.begin(version, null)) {
      put(batch, batch.createTable("t", Layout.HASHED, true), "k" + version, "v");
      batch.commit();
    }
  }

  @Test
  void whoNeverRetiresDoesNotRememberAllCommits() throws IOException {
    Retirement retirement = new Retirement(folder, null);
    for (int i = 1; i <= 1_000; i++) {
      retirement.committed(version(i));
    }
    assertEquals(64, retirement.remembered());
    retirement.begin();
    for (int i = 1_001; i <= 1_100; i++) {
      retirement.committed(version(i));
    }
    assertEquals(164, retirement.remembered(), "a run that is at work did not list those");
    retirement.run(List.of(), 1_051, 1_051, Set.of());
    retirement.end();
    assertEquals(50, retirement.remembered());
    for (int i = 1_101; i <= 2_000; i++) {
      retirement.committed(version(i));
    }
    assertEquals(100, retirement.remembered(), "twice the window");
  }

  private static Version version(long number) {
    return new Version(
        number, FileNames.newId(number, 0), null, 0, Levels.EMPTY, Version.EMPTY.tables());
  }

  @Test
  @Reaches(Mark.NEWEST_VERSION_STAYS)
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

  @Test
  @Reaches(Mark.CARRIED_FILE_IS_DEAD)
  void aCommitDoesNotCarryAMergeOfRowsThatItEnds() {
    EpochPacks all = new EpochPacks(new MemoryObjectStore());
    OpenPacks packs = all.alone(1);
    int merging = 4;
    try (EpochStore own = EpochStore.at(
             folder, new EpochSpace(all, "s/0"), new StoreOptions(512, merging, 10), services)) {
      String id = null;
      for (int version = 0; version < merging; version++) {
        Transaction batch = own.begin(version, id);
        put(batch, batch.createTable("t", Layout.HASHED, true), "key " + version, "value");
        id = batch.commit(packs.of(EpochIds.OWN, "s/0")).id();
      }
      own.awaitMerges(60_000); // its result waits in memory for the next commit
      Transaction batch = own.begin(merging, id);
      batch.watermark(batch.table("t"), Rows.bytes("l"));
      Transaction.Commit ended = batch.commit(packs.of(EpochIds.OWN, "s/0"));
      assertEquals(0, own.metrics().get("files"));
      try (Snapshot snapshot = own.snapshot(ended.version(), ended.id())) {
        assertEquals(List.of(), sorted(snapshot));
      }
    }
  }
}
