package io.groundswell.spark.store.provider;

import static io.groundswell.spark.store.provider.ProviderHarness.DEFAULT;
import static io.groundswell.spark.store.provider.ProviderHarness.key;
import static io.groundswell.spark.store.provider.ProviderHarness.value;
import static io.groundswell.spark.store.provider.ProviderHarness.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.EpochStateStoreProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.SupportsFineGrainedReplay;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;
import scala.collection.Iterator;

/** What Spark's providers raise for a call that cannot be served, ours raises, too. */
class SparkConditionsTest {
  private static final int VERSIONS = 3;
  private static final Option<String> NONE = Option.empty();

  @TempDir Path folder;

  private final Map<String, List<String>> idsOf = new HashMap<>();
  private int stores;

  /** A provider that was closed and opened again, with versions 1 to 3 of these ids. */
  private record Opened(StateStoreProvider provider, Path folder, List<String> ids) {
    Option<String> id(int version) {
      return Option.apply(ids.get(version - 1));
    }

    StateStore newest() {
      return provider.getStore(VERSIONS, id(VERSIONS), false, false);
    }

    SupportsFineGrainedReplay replay() {
      return (SupportsFineGrainedReplay) provider;
    }

    void changes(long start, long end, Option<String> id) {
      Iterator<?> changes = replay().getStateStoreChangeDataReader(start, end, NONE, id);
      while (changes.hasNext()) {
        changes.next();
      }
    }
  }

  private interface Action {
    void run(Opened opened) throws Exception;
  }

  private static final Map<String, Action> ANY_FORMAT = new LinkedHashMap<>();
  private static final Map<String, Action> FORMAT_1 = new LinkedHashMap<>();
  private static final Map<String, Action> FORMAT_2 = new LinkedHashMap<>();

  static {
    ANY_FORMAT.put("negative version", on -> on.provider.getStore(-1, NONE, false, false));
    ANY_FORMAT.put("negative version, read", on -> on.provider.getReadStore(-1, NONE));
    ANY_FORMAT.put("id, but no version", on -> on.provider.getReadStore(7, Option.apply("x")));
    ANY_FORMAT.put("files deleted", on -> {
      damage(on.folder, 2, true);
      on.provider.getStore(2, on.id(2), false, false);
    });
    ANY_FORMAT.put("files damaged", on -> {
      damage(on.folder, 2, false);
      on.provider.getStore(2, on.id(2), false, false);
    });
    ANY_FORMAT.put(
        "replay from 0", on -> on.replay().replayStateFromSnapshot(0, 3, false, NONE, on.id(3)));
    ANY_FORMAT.put(
        "replay from -1", on -> on.replay().replayStateFromSnapshot(-1, 3, false, NONE, on.id(3)));
    ANY_FORMAT.put("replay backwards",
        on -> on.replay().replayStateFromSnapshot(3, 2, false, on.id(3), on.id(2)));
    ANY_FORMAT.put("replay from what is not there",
        on -> on.replay().replayStateFromSnapshot(7, 8, false, on.id(2), on.id(3)));
    ANY_FORMAT.put("replay to what is not there",
        on -> on.replay().replayStateFromSnapshot(1, 8, false, on.id(1), on.id(3)));
    ANY_FORMAT.put(
        "read replay from 0", on -> on.replay().replayReadStateFromSnapshot(0, 3, NONE, on.id(3)));
    ANY_FORMAT.put("read replay from what is not there",
        on -> on.replay().replayReadStateFromSnapshot(7, 8, on.id(2), on.id(3)));
    ANY_FORMAT.put("changes to what is not there", on -> on.changes(1, 7, on.id(3)));
    ANY_FORMAT.put("changes, files deleted", on -> {
      damage(on.folder, 2, true);
      on.changes(1, 2, on.id(2));
    });
    ANY_FORMAT.put("changes from 0", on -> on.changes(0, 2, on.id(2)));
    ANY_FORMAT.put("changes backwards", on -> on.changes(3, 2, on.id(2)));
    ANY_FORMAT.put("commit twice", on -> {
      StateStore store = on.newest();
      store.commit();
      store.commit();
    });
    ANY_FORMAT.put("commit after abort", on -> {
      StateStore store = on.newest();
      store.abort();
      store.commit();
    });
    ANY_FORMAT.put("abort after commit", on -> {
      StateStore store = on.newest();
      store.commit();
      store.abort();
    });
    ANY_FORMAT.put("metrics too early", on -> open(on, StateStore::metrics));
    ANY_FORMAT.put("id too early", on -> open(on, StateStore::getStateStoreCheckpointInfo));
    ANY_FORMAT.put("no key", on -> open(on, store -> store.put(null, value(1), DEFAULT)));
    ANY_FORMAT.put("no value", on -> open(on, store -> store.put(key("a", 0), null, DEFAULT)));
    ANY_FORMAT.put("merge", on -> open(on, store -> store.merge(key("a", 0), value(1), DEFAULT)));
    ANY_FORMAT.put("family", on -> open(on, store -> store.put(key("a", 0), value(1), "other")));
    ANY_FORMAT.put("prefix", on -> open(on, store -> store.prefixScan(key("a", 0), DEFAULT)));
    // RocksDB's provider falls over its own file names where ids are used and none is given.
    FORMAT_1.put("no version", on -> on.provider.getStore(7, NONE, false, false));
    FORMAT_1.put("no version, read", on -> on.provider.getReadStore(7, NONE));
    FORMAT_2.put("not an id", on -> on.provider.getStore(2, Option.apply("x"), false, false));
    FORMAT_2.put("id of another version", on -> on.provider.getReadStore(2, on.id(3)));
  }

  private interface Use {
    void of(StateStore store);
  }

  private static void open(Opened on, Use use) {
    StateStore store = on.newest();
    try {
      use.of(store);
    } finally {
      store.abort();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void oursSaysWhatRocksDbSays(String format) {
    Map<String, Action> actions = new LinkedHashMap<>(ANY_FORMAT);
    actions.putAll(format.equals("1") ? FORMAT_1 : FORMAT_2);
    Map<String, String> ours = new LinkedHashMap<>();
    Map<String, String> theirs = new LinkedHashMap<>();
    actions.forEach((name, action) -> {
      ours.put(name, raised(EpochStateStoreProvider::new, format, action));
      theirs.put(name, raised(RocksDBStateStoreProvider::new, format, action));
    });
    assertEquals(lines(theirs), lines(ours));
  }

  @Test
  void negativeVersionsAndDamageAreTheSameUnderEachProvider() {
    for (String name : List.of("negative version", "negative version, read", "files damaged")) {
      Action action = ANY_FORMAT.get(name);
      assertEquals(raised(HDFSBackedStateStoreProvider::new, "1", action),
          raised(EpochStateStoreProvider::new, "1", action), name);
    }
  }

  @Test
  void aProviderThatWasNotInitialisedSaysWhatRocksDbSays() {
    for (int version : new int[] {-1, 1}) {
      assertEquals(
          told(() -> new RocksDBStateStoreProvider().getStore(version, NONE, false, false)),
          told(() -> new EpochStateStoreProvider().getStore(version, NONE, false, false)));
    }
  }

  @Test
  void theFileThatWasLookedForIsNamed() {
    Opened on = committed(EpochStateStoreProvider::new, "1");
    SparkThrowable error = (SparkThrowable) assertThrows(
        Exception.class, () -> on.provider.getReadStore(7, Option.empty()));
    String file = on.folder.toUri() + "00000000000000000007-*.commit";
    assertEquals(file.replace("///", "/"), error.getMessageParameters().get("fileToRead"));
    on.provider.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aForcedSnapshotIsCounted(boolean forced) {
    assertEquals(forcedSnapshots(RocksDBStateStoreProvider::new, forced),
        forcedSnapshots(EpochStateStoreProvider::new, forced));
  }

  private List<Object> forcedSnapshots(Supplier<StateStoreProvider> maker, boolean forced) {
    Opened on = committed(maker, "1");
    List<Object> counted = new ArrayList<>();
    StateStore store = on.provider.getStore(VERSIONS, NONE, forced, false);
    store.commit();
    counted.add(forcedSnapshots(store));
    ReadStateStore reader = on.provider.getReadStore(VERSIONS + 1, NONE);
    store = on.provider.upgradeReadStoreToWriteStore(reader, VERSIONS + 1, NONE, forced);
    store.commit();
    counted.add(forcedSnapshots(store));
    on.provider.close();
    return counted;
  }

  private static Object forcedSnapshots(StateStore store) {
    return store.metrics()
        .customMetrics()
        .find(metric -> metric._1().name().equals("rocksdbForceSnapshotCount"))
        .get()
        ._2();
  }

  private String raised(Supplier<StateStoreProvider> maker, String format, Action action) {
    Opened on = committed(maker, format);
    try {
      return told(() -> action.run(on));
    } finally {
      on.provider.close();
    }
  }

  /** A checkpoint that was written once for each provider and format, copied and opened. */
  private Opened committed(Supplier<StateStoreProvider> maker, String format) {
    Path root = folder.resolve(String.valueOf(stores++));
    StateStoreProvider provider = maker.get();
    String name = provider.getClass().getSimpleName() + format;
    Path written = folder.resolve(name);
    List<String> ids =
        idsOf.computeIfAbsent(name, key -> commit(harness(written, format).open(maker.get())));
    copy(written, root);
    return new Opened(harness(root, format).open(provider), root.resolve("0/0"), ids);
  }

  private List<String> commit(StateStoreProvider provider) {
    List<String> ids = new ArrayList<>();
    for (int version = 0; version < VERSIONS; version++) {
      StateStore store = write(provider, version, version == 0 ? null : ids.get(version - 1));
      store.put(key("a", version), value(version), DEFAULT);
      store.commit();
      Option<String> id = store.getStateStoreCheckpointInfo().stateStoreCkptId();
      ids.add(id.isDefined() ? id.get() : null);
      provider.doMaintenance();
    }
    provider.close();
    return ids;
  }

  private static ProviderHarness harness(Path root, String format) {
    return new ProviderHarness(root)
        .conf("checkpointFormatVersion", format)
        .conf("rocksdb.changelogCheckpointing.enabled", "true")
        .conf("minDeltasForSnapshot", "1");
  }

  private static void copy(Path from, Path to) {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  /** Condition, SQL state and names of the parameters; of other errors the class. */
  private static String told(Call call) {
    try {
      call.run();
      return "nothing";
    } catch (Throwable e) {
      return e instanceof SparkThrowable spark ? spark.getCondition() + ' ' + spark.getSqlState()
              + ' ' + new TreeSet<>(spark.getMessageParameters().keySet())
                                               : e.getClass().getName();
    }
  }

  private static String lines(Map<String, String> told) {
    StringBuilder lines = new StringBuilder();
    told.forEach((name, what) -> lines.append(name).append(": ").append(what).append('\n'));
    return lines.toString();
  }

  /** Deletes all files of a version, or makes three bytes of each. */
  private static void damage(Path folder, int version, boolean delete) throws Exception {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().matches("\\.?0*" + version + "[-._].*")) {
          continue;
        } else if (delete) {
          Files.delete(file);
        } else {
          Files.write(file, new byte[] {1, 2, 3});
        }
      }
    }
  }
}
