package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.version.Catalogue;
import java.util.Arrays;

/** Refuses tables that a version does not know; one comparison for a spec that was seen before. */
final class TableCheck {
  private TableSpec[] seen = new TableSpec[0];

  void check(TableSpec table, Catalogue tables, String location) {
    int id = table.id();
    if (id < seen.length && seen[id] == table) {
      return;
    }
    if (!table.equals(tables.byId(id))) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "the store at " + location + " has no table " + table + " here; it knows "
              + tables.specs());
    }
    if (id >= seen.length) {
      seen = Arrays.copyOf(seen, Math.max(id + 1, tables.nextId()));
    }
    seen[id] = table;
  }

  /** Must follow a change of the catalogue. */
  void reset() {
    seen = new TableSpec[0];
  }
}
