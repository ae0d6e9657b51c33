package io.groundswell.spark.store.provider;

import static io.groundswell.spark.store.provider.ProviderHarness.DEFAULT;
import static io.groundswell.spark.store.provider.ProviderHarness.key;
import static io.groundswell.spark.store.provider.ProviderHarness.value;
import static io.groundswell.spark.store.provider.ProviderHarness.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.EpochStateStoreProvider;
import io.groundswell.testing.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.SupportsFineGrainedReplay;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Enumeration;
import scala.Option;
import scala.Tuple4;
import scala.collection.Iterator;

/** With every write logged, the change feed is that of RocksDB, step by step. */
class StepLogTest {
  private static final String FAMILY = "values";
  private static final String LOG_EVERY_WRITE = Setting.LOG_EVERY_WRITE.key();
  private static final String ROCKSDB_CHANGELOG = "rocksdb.changelogCheckpointing.enabled";
  private static final boolean MANY_AT_ONCE =
      !org.apache.spark.package$.MODULE$.SPARK_VERSION().startsWith("4.2");
  private static final int VERSIONS = 5;
  private static final int STEPS = 25;

  private static final Option<String> NONE = Option.empty();

  @TempDir Path folder;

  private int stores;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theStepsOfRandomBatchesAreThoseOfRocksDb(boolean lists) {
    Seeds.each(3, random -> {
      long seed = random.nextLong();
      List<String> theirs = feed(new RocksDBStateStoreProvider(), lists, seed);
      assertEquals(theirs, feed(new EpochStateStoreProvider(), lists, seed));
      assertFalse(theirs.isEmpty());
    });
  }

  /** Lists in a family of their own, else single values in the only family there is. */
  private List<String> feed(StateStoreProvider made, boolean lists, long seed) {
    Random random = new Random(seed);
    ProviderHarness harness =
        harness().conf(LOG_EVERY_WRITE, "true").conf(ROCKSDB_CHANGELOG, "true");
    StateStoreProvider provider = (lists ? harness.families(true) : harness).open(made);
    String family = lists ? FAMILY : DEFAULT;
    for (int version = 0; version < VERSIONS; version++) {
      StateStore store = write(provider, version);
      if (lists) {
        declare(store);
      }
      for (int i = 0; i < STEPS; i++) {
        step(store, family, random);
      }
      store.commit();
    }
    List<String> feed = changes(provider, family, VERSIONS);
    provider.close();
    return feed;
  }

  private static void step(StateStore store, String family, Random random) {
    UnsafeRow key = key("k" + random.nextInt(4), 0);
    // Spark 4.2 shows of many values at once the first alone.
    int kinds = MANY_AT_ONCE ? 5 : 3;
    switch (random.nextInt(family.equals(FAMILY) ? kinds : 2)) {
      case 0 -> store.remove(key, family);
      case 1 -> store.put(key, value(random.nextInt(100)), family);
      case 2 -> store.merge(key, value(random.nextInt(100)), family);
      case 3 -> store.putList(key, some(random), family);
      // Now and then enough for a list that goes on in segments.
      default -> store.mergeList(key, some(random), family);
    }
  }

  private static UnsafeRow[] some(Random random) {
    int count = random.nextInt(4) == 0 ? 80 : 1 + random.nextInt(3);
    return ProviderHarness.values(LongStream.generate(random::nextLong).limit(count).toArray());
  }

  private static void declare(StateStore store) {
    store.createColFamilyIfAbsent(FAMILY, ProviderHarness.KEY, ProviderHarness.VALUE,
        new NoPrefixKeyStateEncoderSpec(ProviderHarness.KEY), true, false);
  }

  private ProviderHarness harness() {
    return new ProviderHarness(folder.resolve(String.valueOf(stores++)));
  }

  private static List<String> changes(StateStoreProvider provider, String family, int versions) {
    Iterator<Tuple4<Enumeration.Value, UnsafeRow, UnsafeRow, Object>> changes =
        ((SupportsFineGrainedReplay) provider)
            .getStateStoreChangeDataReader(
                1, versions, family.equals(DEFAULT) ? NONE : Option.apply(family), NONE);
    List<String> found = new ArrayList<>();
    while (changes.hasNext()) {
      var change = changes.next();
      UnsafeRow value = change._3();
      found.add(change._4() + " " + change._1() + " " + change._2().getString(0) + " "
          + (value == null ? null : value.getLong(0)));
    }
    return found;
  }

  @Test
  void withoutTheOptionNoStepIsKeptAndAKeyComesOnceAVersion() {
    StateStoreProvider provider = harness().families(true).open();
    EpochStateStore store = (EpochStateStore) write(provider, 0);
    declare(store);
    store.put(key("a", 0), value(1), FAMILY);
    store.put(key("a", 0), value(2), FAMILY);
    store.merge(key("a", 0), value(3), FAMILY);
    store.put(key("b", 0), value(4), FAMILY);
    store.remove(key("b", 0), FAMILY);
    assertFalse(tables(store).contains(StepLog.tableOf(FAMILY)));
    store.commit();
    assertEquals(List.of("0 put_record a 2", "0 merge_record a 3"), changes(provider, FAMILY, 1));
    provider.close();
  }

  /** RocksDB needs the option for speed; a user who comes from it has it set. */
  @Test
  void anOptionOfRocksDbLogsNothingAndWritesNoByteMore() {
    assertEquals(bytesWritten(harness()), bytesWritten(harness().conf(ROCKSDB_CHANGELOG, "true")));
  }

  private static List<Long> bytesWritten(ProviderHarness harness) {
    StateStoreProvider provider = harness.open();
    Random random = new Random(1);
    List<Long> bytes = new ArrayList<>();
    for (int version = 0; version < 3; version++) {
      EpochStateStore store = (EpochStateStore) write(provider, version);
      for (int i = 0; i < 500; i++) {
        store.put(key("k" + random.nextInt(1000), 0), value(random.nextLong()), DEFAULT);
      }
      assertFalse(tables(store).contains(StepLog.tableOf(DEFAULT)), "a log was written");
      store.commit();
      bytes.add(custom(store, "groundswellBytesWritten"));
    }
    provider.close();
    return bytes;
  }

  private static Long custom(StateStore store, String name) {
    return (Long) store.metrics()
        .customMetrics()
        .find(metric -> metric._1().name().equals(name))
        .get()
        ._2();
  }

  @Test
  void versionsWithAndWithoutStepsAreReadTogether() {
    for (int version = 0; version < 3; version++) {
      String kept = version == 1 ? "true" : "false";
      StateStoreProvider provider = new ProviderHarness(folder).conf(LOG_EVERY_WRITE, kept).open();
      StateStore store = write(provider, version);
      store.put(key("a", 0), value(version), DEFAULT);
      store.put(key("a", 0), value(10 + version), DEFAULT);
      store.commit();
      provider.close();
    }
    assertEquals(
        List.of("0 put_record a 10", "1 put_record a 1", "1 put_record a 11", "2 put_record a 12"),
        changes(new ProviderHarness(folder).open(), DEFAULT, 3));
  }

  @Test
  void stepsAreNoKeysAndNoFamiliesAndEndWithTheNextVersion() {
    StateStoreProvider provider = harness().families(true).conf(LOG_EVERY_WRITE, "true").open();
    for (int version = 0; version < 3; version++) {
      EpochStateStore store = (EpochStateStore) write(provider, version);
      declare(store);
      store.put(key("a", version), value(1), FAMILY);
      store.merge(key("a", version), value(2), FAMILY);
      assertTrue(tables(store).contains(StepLog.tableOf(FAMILY)), "nothing was kept");
      assertEquals(2, rows(store, StepLog.tableOf(FAMILY)), "steps of this version alone");
      assertEquals(2, store.allColumnFamilyNames().size());
      store.commit();
      assertEquals(version + 1, store.metrics().numKeys());
    }
    provider.close();
  }

  @Test
  void mergesDropTheStepsOfOlderVersions() {
    StateStoreProvider provider = harness()
                                      .conf(LOG_EVERY_WRITE, "true")
                                      .conf(Setting.Scope.STORE.prefix() + "compactAtFiles", "2")
                                      .conf("unloadOnCommit", "true") // merges inside a commit
                                      .open();
    Random random = new Random(1);
    List<Long> bytes = new ArrayList<>();
    for (int version = 0; version < 24; version++) {
      StateStore store = write(provider, version);
      for (int i = 0; i < 500; i++) {
        store.put(key("k" + i, 0), value(random.nextLong()), DEFAULT);
      }
      store.commit();
      bytes.add(custom(store, "groundswellFileBytes"));
    }
    provider.close();
    assertTrue(bytes.get(23) < 2 * bytes.get(7), "bytes of the state by version: " + bytes);
  }

  @Test
  void aFamilyThatIsMadeAgainInItsBatchKeepsSteps() {
    StateStoreProvider provider = harness().families(true).conf(LOG_EVERY_WRITE, "true").open();
    EpochStateStore store = (EpochStateStore) write(provider, 0);
    for (int time = 0; time < 2; time++) {
      declare(store);
      store.put(key("a", time), value(1), FAMILY);
      assertEquals(1, rows(store, StepLog.tableOf(FAMILY)));
      store.removeColFamilyIfExists(FAMILY);
    }
    store.abort();
  }

  private static List<String> tables(EpochStateStore store) {
    return store.transaction.tables().stream().map(table -> table.name()).toList();
  }

  private static int rows(EpochStateStore store, String table) {
    int rows = 0;
    try (var cursor = store.transaction.scan(store.transaction.table(table))) {
      while (cursor.next()) {
        rows++;
      }
    }
    return rows;
  }
}
