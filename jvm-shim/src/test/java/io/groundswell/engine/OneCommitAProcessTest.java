package io.groundswell.engine;

import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.Compression;
import io.groundswell.testing.MemoryObjectStore;
import org.junit.jupiter.api.Test;

/** A scheduler starts a process, which commits once and ends. Its merges must come to something. */
class OneCommitAProcessTest extends StoreFixture {
  private static final int AT = 4;
  private final MemoryObjectStore objects = new MemoryObjectStore();
  private final StoreOptions options = new StoreOptions(64, AT, 10, 4096, Compression.NONE);

  private EpochStore process() {
    return EpochStore.at(objects, options, services);
  }

  private EpochStore run(EpochStore store, long version) {
    try (Transaction batch = store.begin(version, null)) {
      var table = batch.createTable("t", Layout.HASHED, true);
      for (int row = 0; row < 20; row++) {
        put(batch, table, "row " + (version * 7 + row) % 50, version + " " + row);
      }
      batch.commit();
    }
    return store;
  }

  private static long subLevels(EpochStore store, long version) {
    return store.open(version, null).version.levels().subLevels().size();
  }

  @Test
  void subLevelsStayBelowABound() {
    long most = 0;
    for (long version = 0; version < 100; version++) {
      try (EpochStore store = process()) {
        most = Math.max(most, subLevels(run(store, version), version + 1));
      }
    }
    assertTrue(most > AT && most <= 3 * AT, "sub-levels: " + most);
    try (EpochStore store = process(); Snapshot last = store.snapshot(100, null)) {
      assertEquals("99 0", get(last, last.table("t"), "row " + 99 * 7 % 50));
    }
  }

  @Test
  void aProcessThatGoesOnMergesBehindItsCommits() {
    try (EpochStore store = process()) {
      for (long version = 0; version < 4 * AT; version++) {
        run(store, version);
        store.awaitMerges(1_000);
      }
      assertTrue(subLevels(store, 4 * AT) <= AT, "sub-levels");
    }
  }
}
