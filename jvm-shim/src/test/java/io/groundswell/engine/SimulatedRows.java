package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Random writes to a batch and its model, and their comparison. */
final class SimulatedRows {
  private static final int KEYS = 60;

  private final Random random;

  SimulatedRows(Random random) {
    this.random = random;
  }

  private static String key(TableSpec table, int n) {
    return table.layout() == Layout.ORDERED ? String.format("%03d", n) : "g" + n % 9 + ":" + n;
  }

  private TableSpec anyTable(Transaction batch, StoreModel state) {
    String name = random.nextInt(3) == 0 ? "a" : "b";
    if (!state.tables.containsKey(name)) {
      Layout layout = random.nextBoolean() ? Layout.ORDERED : Layout.HASHED;
      TableSpec made = batch.createTable(name, layout, random.nextInt(4) > 0);
      state.tables.put(name, new StoreModel.Table(made, new TreeMap<>()));
    }
    return state.tables.get(name).spec;
  }

  /** Some puts and deletes; now and then a table is dropped, or its watermark moves. */
  void write(Transaction batch, StoreModel state) {
    TableSpec table = anyTable(batch, state);
    int dice = random.nextInt(30);
    if (dice == 0) {
      assertTrue(batch.dropTable(table.name()));
      state.tables.remove(table.name());
      return;
    }
    StoreModel.Table model = state.table(table);
    if (dice < 3) {
      String bound = key(table, random.nextInt(KEYS));
      if (random.nextBoolean()) {
        bound = bound.substring(0, 2); // a small step, so that not all rows die soon
      }
      assertEquals(bound.compareTo(model.watermark) > 0, batch.watermark(table, Rows.bytes(bound)));
      if (bound.compareTo(model.watermark) > 0) {
        model.moveWatermark(bound);
      }
    }
    for (int n = random.nextInt(25); n > 0; n--) {
      String key = key(table, random.nextInt(KEYS));
      if (random.nextInt(3) == 0) {
        Rows.delete(batch, table, key);
        model.rows.remove(key);
      } else {
        String value = state.version + "v".repeat(random.nextInt(40));
        Rows.put(batch, table, key, value);
        if (key.compareTo(model.watermark) >= 0) {
          model.rows.put(key, value);
        }
      }
    }
  }

  /** Everything that a snapshot shows. */
  void compareSnapshot(Snapshot snapshot, StoreModel expected) {
    assertEquals(expected.id, snapshot.id());
    assertEquals(expected.tables.size(), snapshot.tables().size());
    for (StoreModel.Table table : expected.tables.values()) {
      assertEquals(table.spec, snapshot.table(table.spec.name()));
      if (table.spec.counted()) {
        assertEquals(table.count(), snapshot.count(table.spec));
      }
    }
    compareAll(snapshot, expected, expected);
    compareSome(snapshot, expected);
    compareChanges(snapshot, expected);
  }

  /** What the version wrote, put upon its base, is the version. */
  private static void compareChanges(Snapshot snapshot, StoreModel expected) {
    for (StoreModel.Table table : expected.tables.values()) {
      StoreModel.Table before = expected.base.table(table.spec);
      if (!before.watermark.equals(table.watermark)) {
        continue; // rows that died by it are no changes
      }
      TreeMap<String, String> after = new TreeMap<>(before.rows);
      try (ChangeRows changes = snapshot.changes(table.spec)) {
        while (changes.next()) {
          if (changes.isDelete()) {
            after.remove(Rows.text(changes.key()));
          } else {
            after.put(Rows.text(changes.key()), Rows.text(changes.value()));
          }
        }
      }
      assertEquals(table.rows, after, () -> "changes of table " + table.spec);
    }
  }

  /** All rows of all tables. */
  void compareAll(Reader reader, StoreModel tables, StoreModel expected) {
    for (StoreModel.Table table : tables.tables.values()) {
      List<String> found = new ArrayList<>(Rows.all(reader.scan(table.spec)));
      if (table.spec.layout() == Layout.HASHED) {
        found.sort(null); // no order is promised
      }
      List<String> wanted = texts(expected.rows(table.spec));
      if (table.spec.layout() == Layout.HASHED) {
        wanted.sort(null);
      }
      assertEquals(wanted, found, () -> "table " + table.spec);
    }
  }

  /** Some keys, a prefix and a range of each table. */
  void compareSome(Reader reader, StoreModel expected) {
    for (StoreModel.Table table : expected.tables.values()) {
      for (int n = 0; n < 6; n++) {
        String key = key(table.spec, random.nextInt(KEYS + 5));
        assertEquals(table.rows.get(key), Rows.get(reader, table.spec, key), key);
      }
      int n = random.nextInt(KEYS);
      if (table.spec.layout() == Layout.HASHED) {
        String prefix = "g" + n % 9 + ":";
        assertEquals(texts(table.rows.subMap(prefix, prefix + "\uffff")),
            Rows.all(Rows.prefix(reader, table.spec, prefix)));
      } else {
        String lower = key(table.spec, n) + (random.nextBoolean() ? "\0" : "");
        String upper = key(table.spec, n + random.nextInt(20)) + (random.nextBoolean() ? "\0" : "");
        boolean empty = lower.compareTo(upper) > 0;
        assertEquals(empty ? List.of() : texts(table.rows.subMap(lower, upper)),
            Rows.all(reader.range(table.spec, Rows.bytes(lower), Rows.bytes(upper))));
      }
    }
  }

  private static List<String> texts(Map<String, String> rows) {
    List<String> all = new ArrayList<>();
    rows.forEach((key, value) -> all.add(key + "=" + value));
    return all;
  }
}
