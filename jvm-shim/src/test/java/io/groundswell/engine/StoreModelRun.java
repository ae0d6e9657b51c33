package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.Compression;
import io.groundswell.testing.MemoryObjectStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** One random life of a store and its model, side by side. */
final class StoreModelRun {
  /** A cursor of the open batch, with what it has yet to show. */
  private record Watch(RowCursor cursor, Iterator<String> expected) {}

  /** A pinned snapshot with what it shows. */
  private record Pin(Snapshot snapshot, StoreModel state) {}

  /** Of all stores of this life. */
  final Map<String, Long> counters = new HashMap<>();

  private final Random random;
  private final MemoryObjectStore folder = new MemoryObjectStore();
  private final AtomicLong clock = new AtomicLong();
  private final EngineServices services;
  private final StoreOptions options;
  private final boolean background;
  private final boolean rewrites; // now and then everything, which leaves little else to merge
  private final int keys;
  private final int valueBytes;
  private final List<StoreModel> versions = new ArrayList<>(List.of(StoreModel.empty()));
  private final List<Pin> pins = new ArrayList<>();
  private final List<Watch> watches = new ArrayList<>();
  private EpochStore store;
  private StoreModel newest = versions.get(0);
  private long retired;
  private Transaction batch;
  private StoreModel state;

  StoreModelRun(Random random, boolean background) {
    this.random = random;
    this.background = background;
    this.rewrites = !background || random.nextInt(3) > 0;
    services = EngineServices.create(pick(0L, 20_000L, 8L << 20), 1, pick(1L, 20_000L, 1L << 30),
        () -> Instant.ofEpochMilli(clock.incrementAndGet()));
    options = new StoreOptions(pick(64, 300, 4096), background ? 2 + random.nextInt(4) : 1000,
        pick(0, 3, 10), pick(1024L, 4096L, 1L << 20), pick(Compression.values()))
                  .withLevelBase(pick(1000L, 10_000L, 1L << 30));
    keys = pick(5, 100, 2000);
    valueBytes = pick(0, 10, 300);
    reopen();
  }

  @SafeVarargs
  private <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  void steps(int count) {
    begin();
    if (background && (keys == 2000 || random.nextBoolean())) {
      load(); // a base level that small commits do not soon outweigh
    }
    for (int i = 0; i < count; i++) {
      step();
    }
    end(true);
    for (StoreModel version : versions) {
      if (version.version >= retired) {
        checkVersion(version);
      }
    }
    pins.forEach(pin -> check(pin.snapshot, pin.state));
    pins.forEach(pin -> pin.snapshot.close());
    closeStore();
    services.close();
  }

  private void step() {
    switch (random.nextInt(26)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> writeSome();
      case 8, 9 -> get();
      case 10, 11 -> openCursor();
      case 12, 13 -> advanceCursors();
      case 14 -> changeTables();
      case 15, 16, 17, 18 -> end(true);
      case 19 -> end(random.nextBoolean());
      case 20 -> {
        if (rewrites) {
          compact();
        }
      }
      case 21 -> retire();
      case 22 -> pinOrUnpin();
      case 23 -> moveWatermark();
      case 24 ->
        store.awaitMerges(20); // so that merges are taken in, and of their results others made
      default -> {
        end(false);
        if (random.nextBoolean()) {
          reopen();
        }
        checkVersion(pick(versions.toArray(new StoreModel[0])));
        begin();
      }
    }
  }

  private void closeStore() {
    store.close();
    store.metrics().counters().forEach((name, count) -> counters.merge(name, count, Long::sum));
  }

  private void reopen() {
    if (store != null) {
      pins.forEach(pin -> pin.snapshot.close()); // a new object does not know of the old one's
      pins.clear();
      closeStore();
    }
    store = EpochStore.at(folder, options, services);
  }

  private void begin() {
    StoreModel base = random.nextInt(5) == 0 ? pick(versions.toArray(new StoreModel[0])) : newest;
    if (base.version > 0 && base.version < retired) {
      base = newest;
    }
    // Without an id the newest attempt is meant.
    boolean byId = base.version > 0 && (random.nextBoolean() || !isNewestAttempt(base));
    batch = store.begin(base.version, byId ? base.id : null);
    assertEquals(base.id, batch.baseId());
    state = base.next();
  }

  private boolean isNewestAttempt(StoreModel version) {
    return versions.stream().noneMatch(
        v -> v.version == version.version && v.id.compareTo(version.id) > 0);
  }

  /** Ends the batch and starts the next one. */
  private void end(boolean commit) {
    advanceCursors();
    watches.forEach(watch -> watch.cursor.close());
    watches.clear();
    for (StoreModel.Table table : state.tables.values()) {
      if (table.spec.counted()) {
        assertEquals(table.count(), batch.count(table.spec));
      }
    }
    if (commit) {
      Transaction.Commit made = batch.commit();
      assertEquals(state.version, made.version());
      assertEquals(state.base.id, made.baseId());
      newest = state.committed(made.id());
      versions.add(newest);
      forgetRetired(); // an open batch may commit what was retired meanwhile
    } else {
      batch.abort();
    }
    begin();
  }

  private String key(TableSpec table) {
    return key(table, random.nextInt(keys));
  }

  private static String key(TableSpec table, int n) {
    if (table.layout() == Layout.ORDERED) {
      return String.format("%05d", n);
    }
    return "g" + n % 7 + (n % 11 == 0 ? "" : ":" + n);
  }

  private TableSpec anyTable() {
    if (state.tables.isEmpty()) {
      createTable(pick("a", "b", "c"));
    }
    List<String> names = new ArrayList<>(new TreeMap<>(state.tables).keySet());
    return state.tables.get(names.get(random.nextInt(names.size()))).spec;
  }

  private void createTable(String name) {
    TableSpec made = batch.createTable(name, pick(Layout.values()), random.nextInt(3) > 0);
    state.tables.put(name, new StoreModel.Table(made, new TreeMap<>()));
  }

  private void changeTables() {
    String name = pick("a", "b", "c");
    if (!state.tables.containsKey(name)) {
      createTable(name);
    } else if (random.nextInt(3) == 0) {
      assertTrue(batch.dropTable(name));
      state.tables.remove(name);
    }
  }

  private void load() {
    TableSpec table = anyTable();
    for (int n = 0; n < keys; n++) {
      String key = key(table, n);
      String value = "loaded " + random.nextLong() + random.nextLong() + random.nextLong();
      Rows.put(batch, table, key, value);
      state.rows(table).put(key, value);
    }
    end(true);
  }

  private void writeSome() {
    for (int n = random.nextInt(60); n > 0; n--) {
      TableSpec table = anyTable();
      String key = key(table);
      if (random.nextInt(3) == 0) {
        Rows.delete(batch, table, key);
        state.rows(table).remove(key);
      } else {
        String value = "v".repeat(random.nextInt(valueBytes + 1)) + random.nextInt();
        Rows.put(batch, table, key, value);
        if (key.compareTo(state.table(table).watermark) >= 0) {
          state.rows(table).put(key, value);
        }
      }
    }
  }

  private void moveWatermark() {
    TableSpec table = anyTable();
    StoreModel.Table model = state.table(table);
    String bound = key(table);
    if (random.nextInt(3) > 0) { // a small step, so that not all rows die soon
      bound = bound.substring(0, Math.min(bound.length(), 3));
    }
    boolean moves = bound.compareTo(model.watermark) > 0;
    assertEquals(moves, batch.watermark(table, Rows.bytes(bound)));
    if (moves) {
      model.moveWatermark(bound);
    }
  }

  private void get() {
    for (int n = random.nextInt(20); n > 0; n--) {
      TableSpec table = anyTable();
      String key = key(table);
      assertEquals(state.rows(table).get(key), Rows.get(batch, table, key));
    }
  }

  private void openCursor() {
    TableSpec table = anyTable();
    TreeMap<String, String> rows = state.rows(table);
    RowCursor cursor;
    SortedMap<String, String> expected;
    int kind = random.nextInt(3);
    if (kind == 0) {
      cursor = batch.scan(table);
      expected = rows;
      if (table.layout() == Layout.HASHED) { // no order promised: compare as sets, at once
        assertEquals(
            StoreModel.sorted(StoreModel.texts(rows)), StoreModel.sorted(Rows.all(cursor)));
        return;
      }
    } else if (table.layout() == Layout.ORDERED && kind == 1) {
      String lower = random.nextInt(4) == 0 ? null : key(table) + pick("", "\0");
      String upper = random.nextInt(4) == 0 ? null : key(table) + pick("", "\0");
      cursor = batch.range(table, lower == null ? null : Rows.bytes(lower),
          upper == null ? null : Rows.bytes(upper));
      expected = lower == null ? rows : rows.tailMap(lower);
      if (upper != null) {
        expected =
            lower != null && lower.compareTo(upper) > 0 ? new TreeMap<>() : expected.headMap(upper);
      }
    } else {
      String key = key(table);
      int colon = key.indexOf(':') + 1;
      int shortest = table.layout() == Layout.HASHED ? (colon > 0 ? colon : key.length()) : 0;
      String prefix = key.substring(0, shortest + random.nextInt(key.length() - shortest + 1));
      String from = random.nextBoolean() ? prefix : prefix + key(table).replaceAll("[^0-9]", "");
      cursor = Rows.prefixFrom(batch, table, from, prefix);
      // All keys of a group have its hash, so the prefix alone tells.
      expected = new TreeMap<>(rows.subMap(from, prefix + "\uffff"));
      if (table.layout() == Layout.HASHED) {
        expected.keySet().removeIf(found -> Rows.hash(found) != Rows.hash(prefix));
      }
    }
    watches.add(new Watch(cursor, StoreModel.texts(new TreeMap<>(expected)).iterator()));
  }

  private void advanceCursors() {
    for (Watch watch : watches) {
      for (int n = random.nextInt(100); n > 0 && watch.expected.hasNext(); n--) {
        assertTrue(watch.cursor.next());
        assertEquals(watch.expected.next(),
            Rows.text(watch.cursor.key()) + "=" + Rows.text(watch.cursor.value()));
      }
    }
    watches.removeIf(watch -> {
      if (watch.expected.hasNext()) {
        return false;
      }
      assertFalse(watch.cursor.next());
      watch.cursor.close();
      return true;
    });
  }

  private void compact() {
    store.compact(newest.version, newest.id);
  }

  private void retire() {
    long oldest = Math.max(0, newest.version - random.nextInt(4));
    store.retire(oldest);
    long highest = versions.stream().mapToLong(v -> v.version).max().orElse(0);
    long floor = Math.min(oldest, highest);
    retired = Math.max(retired, floor);
    forgetRetired();
    if (random.nextInt(5) == 0 && floor > 1) {
      assertEquals(ErrorCode.VERSION_UNAVAILABLE,
          assertThrows(EngineException.class, () -> store.snapshot(floor - 1, null)).code());
    }
  }

  private void forgetRetired() {
    versions.removeIf(v -> v.version > 0 && v.version < retired);
    if (newest.version < retired) {
      newest = versions.get(versions.size() - 1);
    }
  }

  private void pinOrUnpin() {
    if (!pins.isEmpty() && random.nextBoolean()) {
      Pin pin = pins.remove(random.nextInt(pins.size()));
      check(pin.snapshot, pin.state);
      pin.snapshot.close();
    } else if (pins.size() < 3) {
      pins.add(new Pin(store.snapshot(newest.version, newest.id), newest));
    }
  }

  private void checkVersion(StoreModel version) {
    try (Snapshot snapshot = store.snapshot(version.version, version.id)) {
      check(snapshot, version);
      long epoch = Math.max(0, version.version - random.nextInt(3));
      Reader older;
      try {
        older = snapshot.asOf(epoch);
      } catch (EngineException e) {
        assertEquals(ErrorCode.VERSION_UNAVAILABLE, e.code());
        assertTrue(epoch < version.version);
        return;
      }
      checkRows(older, version, version.asOf(epoch));
    }
  }

  private void check(Snapshot snapshot, StoreModel expected) {
    assertEquals(expected.id, snapshot.id());
    assertEquals(expected.tables.size(), snapshot.tables().size());
    for (StoreModel.Table table : expected.tables.values()) {
      assertEquals(table.spec, snapshot.table(table.spec.name()));
      if (table.spec.counted()) {
        assertEquals(table.count(), snapshot.count(table.spec));
      }
    }
    checkRows(snapshot, expected, expected);
  }

  private void checkRows(Reader reader, StoreModel tables, StoreModel expected) {
    for (StoreModel.Table table : tables.tables.values()) {
      TreeMap<String, String> rows = expected.rows(table.spec);
      List<String> found = Rows.all(reader.scan(table.spec));
      if (table.spec.layout() == Layout.ORDERED) {
        assertEquals(StoreModel.texts(rows), found);
      } else {
        assertEquals(StoreModel.sorted(StoreModel.texts(rows)), StoreModel.sorted(found));
      }
      for (int n = 0; n < 10; n++) {
        String key = key(table.spec);
        assertEquals(rows.get(key), Rows.get(reader, table.spec, key));
      }
    }
  }
}
