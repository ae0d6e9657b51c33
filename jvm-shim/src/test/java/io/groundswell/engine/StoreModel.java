package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a store's version should hold: plain maps. */
final class StoreModel {
  /** One table's rows. */
  static final class Table {
    final TableSpec spec;
    final TreeMap<String, String> rows;

    /** Rows below it are dead. */
    String watermark = "";

    /** Rows that died by the watermark and are counted still. */
    int dead;

    Table(TableSpec spec, TreeMap<String, String> rows) {
      this.spec = spec;
      this.rows = rows;
    }

    Table copy() {
      Table copy = new Table(spec, new TreeMap<>(rows));
      copy.watermark = watermark;
      copy.dead = dead;
      return copy;
    }

    void moveWatermark(String bound) {
      watermark = bound;
      dead += rows.headMap(bound).size();
      rows.headMap(bound).clear();
    }

    int count() {
      return rows.size() + dead;
    }
  }

  final long version;
  final String id;

  /** The version that this one was committed on; null for version 0. */
  final StoreModel base;

  final Map<String, Table> tables = new HashMap<>();

  StoreModel(long version, String id, StoreModel base) {
    this.version = version;
    this.id = id;
    this.base = base;
  }

  static StoreModel empty() {
    return new StoreModel(0, null, null);
  }

  /** A copy to write to, standing on this one. */
  StoreModel next() {
    return named(null, this, version + 1);
  }

  /** The same state under the id that its commit was given. */
  StoreModel committed(String commitId) {
    return named(commitId, base, version);
  }

  private StoreModel named(String newId, StoreModel newBase, long number) {
    StoreModel copy = new StoreModel(number, newId, newBase);
    tables.forEach((name, table) -> copy.tables.put(name, table.copy()));
    return copy;
  }

  /** The state of an epoch that lies in this version's past. */
  StoreModel asOf(long epoch) {
    StoreModel state = this;
    while (state.version > epoch) {
      state = state.base;
    }
    return state;
  }

  /** The rows of a table by its id: a new table of an old name is another one. */
  TreeMap<String, String> rows(TableSpec spec) {
    return table(spec).rows;
  }

  /** The table of that id; one without rows if there is none. */
  Table table(TableSpec spec) {
    for (Table table : tables.values()) {
      if (table.spec.id() == spec.id()) {
        return table;
      }
    }
    return new Table(spec, new TreeMap<>());
  }

  static List<String> texts(SortedMap<String, String> rows) {
    return rows.entrySet().stream().map(row -> row.getKey() + "=" + row.getValue()).toList();
  }

  static List<String> sorted(List<String> rows) {
    return rows.stream().sorted().toList();
  }
}
