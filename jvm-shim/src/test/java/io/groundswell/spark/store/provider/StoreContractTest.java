package io.groundswell.spark.store.provider;

import static io.groundswell.spark.store.provider.ProviderHarness.DEFAULT;
import static io.groundswell.spark.store.provider.ProviderHarness.assertCondition;
import static io.groundswell.spark.store.provider.ProviderHarness.get;
import static io.groundswell.spark.store.provider.ProviderHarness.key;
import static io.groundswell.spark.store.provider.ProviderHarness.read;
import static io.groundswell.spark.store.provider.ProviderHarness.rows;
import static io.groundswell.spark.store.provider.ProviderHarness.value;
import static io.groundswell.spark.store.provider.ProviderHarness.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** What Spark may count on, whatever the keys look like. */
class StoreContractTest {
  private static final String OUT_OF_ORDER = "STATE_STORE_OPERATION_OUT_OF_ORDER";

  @TempDir Path folder;

  private StateStoreProvider open() {
    return new ProviderHarness(folder).open();
  }

  private static long put(StateStoreProvider provider, long version, String k, long v) {
    StateStore store = write(provider, version);
    store.put(key(k, 0), value(v), DEFAULT);
    return store.commit();
  }

  @Test
  void aCommitIsReadByTheNextProvider() {
    StateStoreProvider first = open();
    assertEquals(1, put(first, 0, "a", 1));
    assertEquals(2, put(first, 1, "b", 2));
    first.close();
    StateStoreProvider second = open();
    assertEquals(1, get(read(second, 2), "a", 0));
    assertNull(get(read(second, 1), "b", 0));
    assertNull(get(read(second, 0), "a", 0));
  }

  @Test
  void callsThatDoNotFitAreRefusedByName() {
    StateStoreProvider provider = open();
    StateStore store = write(provider, 0);
    assertCondition(OUT_OF_ORDER, store::metrics);
    assertCondition(OUT_OF_ORDER, store::getStateStoreCheckpointInfo);
    assertCondition(OUT_OF_ORDER, store::release);
    store.commit();
    assertCondition(OUT_OF_ORDER, () -> store.get(key("a", 0), DEFAULT));
    assertCondition(OUT_OF_ORDER, () -> store.put(key("a", 0), value(1), DEFAULT));
    assertCondition(OUT_OF_ORDER, store::abort);
    assertTrue(store.hasCommitted());

    StateStore aborted = write(provider, 1);
    aborted.abort();
    aborted.abort();
    assertFalse(aborted.hasCommitted());
    assertCondition(OUT_OF_ORDER, () -> aborted.get(key("a", 0), DEFAULT));

    EpochStateStore reader = (EpochStateStore) read(provider, 1);
    assertCondition(OUT_OF_ORDER, () -> reader.put(key("a", 0), value(1), DEFAULT));
    assertCondition(OUT_OF_ORDER, () -> reader.remove(key("a", 0), DEFAULT));
    reader.release();
    reader.release();
  }

  @Test
  void nullsAreRefused() {
    StateStore store = write(open(), 0);
    assertThrows(IllegalStateException.class, () -> store.get(null, DEFAULT));
    assertThrows(IllegalStateException.class, () -> store.put(null, value(1), DEFAULT));
    assertThrows(IllegalArgumentException.class, () -> store.put(key("a", 0), null, DEFAULT));
  }

  @Test
  void versionsThatAreNotThereCannotBeLoaded() {
    StateStoreProvider provider = open();
    put(provider, 0, "a", 1);
    assertCondition("CANNOT_LOAD_STATE_STORE.UNEXPECTED_VERSION", () -> write(provider, -1));
    assertCondition("CANNOT_LOAD_STATE_STORE.UNCATEGORIZED", () -> write(provider, 7));
  }

  @Test
  void anAbortedBatchLeavesNothing() throws Exception {
    StateStoreProvider provider = open();
    put(provider, 0, "a", 1);
    StateStore store = write(provider, 1);
    store.put(key("b", 0), value(2), DEFAULT);
    store.remove(key("a", 0), DEFAULT);
    store.abort();
    assertEquals(0, store.metrics().numKeys());
    assertEquals(1, get(read(provider, 1), "a", 0));
    try (var files = Files.list(folder.resolve("0/0"))) {
      assertEquals(1, files.count());
    }
  }

  @Test
  void ofTwoCommitsOfOneVersionTheLastWins() {
    StateStoreProvider provider = open();
    put(provider, 0, "base", 0);
    assertEquals(2, put(provider, 1, "a", 1));
    assertEquals(2, put(provider, 1, "a", 2));
    assertEquals(2, get(read(provider, 2), "a", 0));
    assertEquals(2, get(read(open(), 2), "a", 0), "the files alone say the same");
  }

  @Test
  void twoStoresAtOneVersionDoNotSeeEachOther() {
    StateStoreProvider provider = open();
    StateStore one = write(provider, 0);
    StateStore two = write(provider, 0);
    one.put(key("a", 0), value(1), DEFAULT);
    two.put(key("b", 0), value(2), DEFAULT);
    assertNull(get(two, "a", 0));
    one.commit();
    assertNull(get(two, "a", 0));
    two.commit();
    assertEquals(List.of("b/0=2"), rows(read(provider, 1).iterator(DEFAULT)));
  }

  @Test
  void eachAttemptHasAnIdOfItsOwnInCheckpointFormat2() {
    StateStoreProvider provider =
        new ProviderHarness(folder).conf("checkpointFormatVersion", "2").open();
    StateStore first = write(provider, 0);
    first.put(key("a", 0), value(1), DEFAULT);
    first.commit();
    StateStore second = write(provider, 0);
    second.put(key("a", 0), value(2), DEFAULT);
    second.commit();
    var one = first.getStateStoreCheckpointInfo();
    var two = second.getStateStoreCheckpointInfo();
    assertEquals(1, one.batchVersion());
    assertTrue(one.baseStateStoreCkptId().isEmpty());
    assertNotEquals(one.stateStoreCkptId(), two.stateStoreCkptId());
    String id = one.stateStoreCkptId().get();
    StateStore onFirst = write(provider, 1, id);
    assertEquals(1, get(onFirst, "a", 0));
    onFirst.commit();
    assertEquals(id, onFirst.getStateStoreCheckpointInfo().baseStateStoreCkptId().get());
    StateStoreProvider later = new ProviderHarness(folder).open();
    assertEquals(2, get(write(later, 1, two.stateStoreCkptId().get()), "a", 0));
  }

  @Test
  void inCheckpointFormat1ThereAreNoIds() {
    StateStore store = write(open(), 0);
    store.commit();
    assertTrue(store.getStateStoreCheckpointInfo().stateStoreCkptId().isEmpty());
  }

  @Test
  void aReadStoreTurnsIntoTheWriteStoreWithItsScansOpen() {
    StateStoreProvider provider = open();
    put(provider, 0, "a", 1);
    ReadStateStore reader = read(provider, 1);
    var scan = reader.iterator(DEFAULT);
    assertTrue(scan.hasNext());
    StateStore writer = provider.upgradeReadStoreToWriteStore(reader, 1, Option.empty(), false);
    assertSame(reader, writer);
    writer.put(key("b", 0), value(2), DEFAULT);
    writer.remove(key("a", 0), DEFAULT);
    assertEquals(List.of("a/0=1"), rows(scan));
    assertEquals(2, writer.commit());
    assertEquals(List.of("b/0=2"), rows(read(provider, 2).iterator(DEFAULT)));
  }

  @Test
  void aScanGoesOnWhileItsRowsAreRemoved() {
    StateStoreProvider provider = open();
    StateStore filled = write(provider, 0);
    for (int i = 0; i < 100; i++) {
      filled.put(key("k" + i, i), value(i), DEFAULT);
    }
    filled.commit();
    StateStore store = write(provider, 1);
    var scan = store.iterator(DEFAULT);
    int seen = 0;
    while (scan.hasNext()) {
      UnsafeRow key = scan.next().key();
      store.remove(key, DEFAULT);
      store.put(key("new" + seen, 0), value(0), DEFAULT);
      seen++;
    }
    assertEquals(100, seen);
    store.commit();
    assertEquals(100, store.metrics().numKeys());
  }

  @Test
  void rowsStayAsTheyWereReturned() {
    StateStoreProvider provider = open();
    put(provider, 0, "a", 1);
    StateStore store = write(provider, 1);
    UnsafeRow before = store.get(key("a", 0), DEFAULT);
    store.put(key("a", 0), value(2), DEFAULT);
    UnsafeRow between = store.get(key("a", 0), DEFAULT);
    store.put(key("a", 0), value(3), DEFAULT);
    assertEquals(1, before.getLong(0));
    assertEquals(2, between.getLong(0));
    assertEquals(3, get(store, "a", 0));
  }

  @Test
  void anEmptyLoadForgetsTheRowsAndKeepsTheNumber() {
    StateStoreProvider provider = open();
    put(provider, 0, "a", 1);
    StateStore store = provider.getStore(1, Option.empty(), false, true);
    assertNull(get(store, "a", 0));
    store.put(key("b", 0), value(2), DEFAULT);
    assertEquals(2, store.commit());
    assertEquals(1, store.metrics().numKeys());
    assertEquals(List.of("b/0=2"), rows(read(open(), 2).iterator(DEFAULT)));
  }

  @Test
  void versionsBelowTheWindowGoAndForeignFilesStay() throws Exception {
    StateStoreProvider provider = new ProviderHarness(folder)
                                      .conf("spark.sql.streaming.minBatchesToRetain", "3")
                                      .conf("groundswell.compactAtFiles", "2")
                                      .open();
    Path metadata = folder.resolve("0/0/_metadata/schema");
    Files.createDirectories(metadata.getParent());
    Files.writeString(metadata, "Spark's");
    long last = 0;
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (Files.exists(oldest()) || last < 8) {
      last = put(provider, last, "k" + last % 3, last);
      provider.doCleanupMaintenance();
      assertTrue(System.nanoTime() < deadline, "nothing was retired up to version " + last);
      Thread.sleep(5);
    }
    assertEquals("Spark's", Files.readString(metadata));
    for (long version = last - 3; version <= last; version++) {
      assertFalse(rows(read(open(), version).iterator(DEFAULT)).isEmpty(), "at " + version);
    }
    long retired = last - 4;
    assertCondition("CANNOT_LOAD_STATE_STORE.UNCATEGORIZED", () -> read(provider, retired));
  }

  /** The object of the first commit, or a name that is not there. */
  private Path oldest() throws Exception {
    Path store = folder.resolve("0/0");
    if (!Files.exists(store)) {
      return store;
    }
    try (var files = Files.list(store)) {
      return files.filter(file -> file.getFileName().toString().startsWith("0".repeat(19) + "1-"))
          .findFirst()
          .orElse(store.resolve("none"));
    }
  }

  @Test
  void whatMaintenanceMeetsIsNotThrown() {
    StateStoreProvider provider = open();
    put(provider, 0, "a", 1);
    provider.doMaintenance();
    provider.close();
    provider.doMaintenance();
  }

  @Test
  void theDriverMayAskForMetricsBeforeInit() {
    StateStoreProvider provider = new io.groundswell.EpochStateStoreProvider();
    assertTrue(provider.supportedCustomMetrics().size() > 3);
    assertEquals(1, provider.supportedInstanceMetrics().size());
  }
}
