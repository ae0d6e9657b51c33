package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.EpochSpace;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions of a state that are split and put together by reference, beside a model. */
class ImportedFilesTest {
  private static final int KEYS = 300;
  private final EngineServices services = EngineServices.create(8 << 20, 2);
  private final Map<String, ObjectStore> folders = new ConcurrentHashMap<>();
  private final Map<String, Map<String, String>> model = new TreeMap<>();

  @AfterEach
  void close() {
    services.close();
  }

  /** One generation of partitions. */
  private final class Generation {
    final String name;
    final List<EpochStore> stores = new ArrayList<>();
    final List<Transaction.Commit> at = new ArrayList<>();

    Generation(String name, int count) {
      this.name = name;
      EpochPacks packs = new EpochPacks(new MemoryObjectStore());
      for (int i = 0; i < count; i++) {
        EpochSpace space = new EpochSpace(packs, "s/" + i, ImportedFilesTest.this::folder);
        stores.add(EpochStore.at(folder(place(i)), space, new StoreOptions(256, 3, 10), services));
        at.add(null);
      }
    }

    String place(int partition) {
      return name + "/s/" + partition;
    }

    Transaction begin(int partition) {
      Transaction.Commit last = at.get(partition);
      return last == null ? stores.get(partition).beginEmpty(1)
                          : stores.get(partition).begin(last.version(), last.id());
    }

    Snapshot snapshot(int partition) {
      Transaction.Commit last = at.get(partition);
      return stores.get(partition).snapshot(last.version(), last.id());
    }
  }

  private ObjectStore folder(String place) {
    return folders.computeIfAbsent(place, any -> new MemoryObjectStore());
  }

  private static int hash(String key) {
    return key.hashCode() * 0x9E3779B1;
  }

  /** Random writes to all partitions; the tables of each are made in one order. */
  private void write(Generation now, Random random) {
    int count = now.stores.size();
    for (int partition = 0; partition < count; partition++) {
      try (Transaction tx = now.begin(partition)) {
        TableSpec hashed = tx.createTable("hashed", Layout.HASHED, true);
        TableSpec ordered = tx.createTable("ordered", Layout.ORDERED, true);
        TableSpec left = tx.createTable("left", Layout.HASHED, false);
        tx.put(left, 0, Rows.bytes("x"), 0, 1, Rows.bytes("y"), 0, 1);
        for (int i = 0; i < KEYS / 4; i++) {
          String key = String.format("%05d", random.nextInt(KEYS));
          if (Math.floorMod(hash(key), count) != partition) {
            continue;
          }
          for (TableSpec table : List.of(hashed, ordered)) {
            byte[] bytes = Rows.bytes(key);
            if (random.nextInt(3) == 0) {
              tx.delete(table, hash(key), bytes, 0, bytes.length);
              model.get(table.name()).remove(key);
            } else {
              byte[] value = Rows.bytes("v" + random.nextInt(1000));
              tx.put(table, hash(key), bytes, 0, bytes.length, value, 0, value.length);
              model.get(table.name()).put(key, Rows.text(slice(value)));
            }
          }
        }
        now.at.set(partition, tx.commit());
      }
    }
  }

  private static Slice slice(byte[] bytes) {
    Slice slice = new Slice();
    slice.set(bytes, 0, bytes.length);
    return slice;
  }

  private Generation rescaled(Generation before, String name, int count) {
    List<ImportedFiles.From> from = new ArrayList<>();
    long version = 1;
    for (int i = 0; i < before.stores.size(); i++) {
      from.add(
          new ImportedFiles.From(i, before.snapshot(i), before.place(i), before.name + "/_packs"));
      version = Math.max(version, before.at.get(i).version() + 1);
    }
    Generation after = new Generation(name, count);
    for (int i = 0; i < count; i++) {
      ImportedFiles taken =
          ImportedFiles.of(from, before.stores.size(), i, count, table -> !table.equals("left"));
      try (Transaction tx = after.stores.get(i).beginTakingOver(version, taken)) {
        after.at.set(i, tx.commit());
      }
    }
    from.forEach(each -> each.snapshot().close());
    return after;
  }

  private void compare(Generation now) {
    Map<String, Map<String, String>> found = new TreeMap<>();
    long[] live = new long[2];
    for (int i = 0; i < now.stores.size(); i++) {
      try (Snapshot snapshot = now.snapshot(i)) {
        for (String name : List.of("hashed", "ordered")) {
          TableSpec table = snapshot.table(name);
          live[name.equals("hashed") ? 0 : 1] += snapshot.count(table);
          Map<String, String> rows = found.computeIfAbsent(name, any -> new TreeMap<>());
          try (RowCursor cursor = snapshot.scan(table)) {
            while (cursor.next()) {
              String key = Rows.text(cursor.key());
              assertEquals(i, Math.floorMod(cursor.hash(), now.stores.size()), key);
              assertNull(rows.put(key, Rows.text(cursor.value())), key);
            }
          }
          for (int k = 0; k < KEYS; k++) {
            String key = String.format("%05d", k);
            boolean mine = Math.floorMod(hash(key), now.stores.size()) == i;
            byte[] bytes = Rows.bytes(key);
            Slice out = new Slice();
            boolean there = snapshot.get(table, hash(key), bytes, 0, bytes.length, out);
            assertEquals(mine && model.get(name).containsKey(key), there, name + key);
            if (there) {
              assertEquals(model.get(name).get(key), Rows.text(out));
            }
          }
        }
      }
    }
    assertEquals(model, found);
    assertEquals(model.get("hashed").size(), live[0], "the sum of the counts");
    assertEquals(model.get("ordered").size(), live[1]);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void randomPartitionsHaveWhatTheModelHas(long seed) {
    Random random = new Random(seed);
    model.put("hashed", new TreeMap<>());
    model.put("ordered", new TreeMap<>());
    Generation now = new Generation("state", 1 + random.nextInt(4));
    for (int step = 1; step <= 5; step++) {
      for (int barrier = random.nextInt(8); barrier >= 0; barrier--) {
        write(now, random);
        compare(now);
      }
      now = rescaled(now, "generation-" + step, 1 + random.nextInt(8));
      compare(now);
    }
    for (int barrier = 0; barrier < 40; barrier++) { // merges write what was taken over anew
      write(now, random);
      for (EpochStore store : now.stores) {
        store.awaitMerges(50);
      }
    }
    compare(now);
    for (int i = 0; i < now.stores.size(); i++) {
      Transaction.Commit last = now.at.get(i);
      assertTrue(now.stores.get(i)
                     .filesOf(last.version(), last.id())
                     .stream()
                     .noneMatch(FileNames::isElsewhere),
          "nothing of it is left in the end");
    }
  }

  /** The rows of a group in all groups' partitions, and how many blocks were asked for. */
  private long[] readGroups(Generation now, int groups) {
    int count = now.stores.size();
    long rows = 0;
    long before = services.tables().blocks().hits() + services.tables().blocks().misses();
    for (int group = 0; group < groups; group++) {
      byte[] prefix = Rows.bytes(String.format("g%04d-", group));
      int hash = hash("g" + group);
      try (Snapshot snapshot = now.snapshot(Math.floorMod(hash, count));
          RowCursor cursor =
              snapshot.prefix(snapshot.table("hashed"), hash, prefix, 0, prefix.length)) {
        while (cursor.next()) {
          rows++;
        }
      }
    }
    long after = services.tables().blocks().hits() + services.tables().blocks().misses();
    return new long[] {rows, after - before};
  }

  /** One file is in several partitions, which come together: each of them has its own groups. */
  @Test
  @Reaches(Mark.TREES_STACKED)
  void aLargeGroupIsReadWithoutThoseOfOthers() {
    int groups = 60;
    int rows = 200;
    Generation now = new Generation("state", 2);
    for (int partition = 0; partition < 2; partition++) {
      try (Transaction tx = now.begin(partition)) {
        TableSpec table = tx.createTable("hashed", Layout.HASHED, true);
        tx.createTable("ordered", Layout.ORDERED, true);
        for (int i = 0; i < groups * rows; i++) {
          int hash = hash("g" + i / rows);
          if (Math.floorMod(hash, 2) == partition) {
            byte[] key = Rows.bytes(String.format("g%04d-%06d", i / rows, i));
            tx.put(table, hash, key, 0, key.length, key, 0, key.length);
          }
        }
        now.at.set(partition, tx.commit());
      }
    }
    long[] whole = readGroups(now, groups);
    assertEquals(groups * rows, whole[0]);
    Generation few = rescaled(rescaled(now, "generation-1", 8), "generation-2", 3);
    long[] shared = readGroups(few, groups);
    assertEquals(groups * rows, shared[0]);
    assertTrue(shared[1] < 2 * whole[1], shared[1] + " blocks, and " + whole[1] + " before");
  }

  @Test
  void nothingIsWrittenButManifests() {
    model.put("hashed", new TreeMap<>());
    model.put("ordered", new TreeMap<>());
    Generation now = new Generation("state", 2);
    write(now, new Random(1));
    for (Transaction.Commit commit : rescaled(now, "generation-1", 8).at) {
      assertEquals(0, commit.rowsWritten());
    }
  }

  /** Two stores, each with what its batch makes. */
  private List<ImportedFiles.From> two(Consumer<Transaction> one, Consumer<Transaction> other) {
    Generation now = new Generation("state", 2);
    List<ImportedFiles.From> from = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      try (Transaction tx = now.begin(i)) {
        (i == 0 ? one : other).accept(tx);
        now.at.set(i, tx.commit());
      }
      from.add(new ImportedFiles.From(i, now.snapshot(i), now.place(i), "state/_packs"));
    }
    return from;
  }

  @Test
  @Reaches(Mark.TABLES_NUMBERED_DIFFERENTLY)
  void storesThatCallTheirTablesByOtherNumbersAreNotPutTogether() {
    List<ImportedFiles.From> from = two(
        tx
        -> {
          tx.createTable("a", Layout.HASHED, true);
          tx.createTable("b", Layout.HASHED, true);
        },
        tx -> {
          tx.createTable("b", Layout.HASHED, true);
          tx.createTable("a", Layout.HASHED, true);
        });
    assertNull(ImportedFiles.of(from, 2, 0, 1, table -> true));
    assertNotNull(ImportedFiles.of(from, 2, 0, 2, table -> true), "of one store alone");
    from.forEach(each -> each.snapshot().close());
  }

  @Test
  @Reaches(Mark.DROPPED_TABLE_HAS_ROWS)
  void aTableThatOneStoreHasDroppedDoesNotComeBackFromItsFiles() {
    List<ImportedFiles.From> from = two(
        tx
        -> {
          tx.createTable("a", Layout.HASHED, true);
          tx.createTable("b", Layout.HASHED, true);
        },
        tx -> {
          tx.createTable("a", Layout.HASHED, true);
          tx.createTable("b", Layout.HASHED, true);
          tx.dropTable("b");
        });
    assertNull(ImportedFiles.of(from, 2, 0, 1, table -> true));
    from.forEach(each -> each.snapshot().close());
  }
}
