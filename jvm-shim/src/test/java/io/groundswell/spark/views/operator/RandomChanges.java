package io.groundswell.spark.views.operator;

import io.groundswell.spark.views.operator.Fixture.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Changelogs that keep the promise every operator makes: one net change a key and barrier. */
public final class RandomChanges {
  private RandomChanges() {}

  /**
   * Changes some of the keys 0 to {@code keys - 1} of {@code table}, whose rows start with the key;
   * {@code values} makes the rest of a row. Now and then nothing changes, or a row is deleted and
   * inserted as it was.
   */
  public static List<Change> keyed(
      Random random, Map<Long, List<Object>> table, int keys, Supplier<List<Object>> values) {
    List<Change> changes = new ArrayList<>();
    int share = random.nextInt(4);
    for (long key = 0; key < keys; key++) {
      if (random.nextInt(3) >= share) {
        continue;
      }
      List<Object> old = table.get(key);
      if (old != null) {
        changes.add(new Change(-1, old));
        table.remove(key);
      }
      if (old == null || random.nextInt(3) > 0) {
        List<Object> row = new ArrayList<>();
        row.add(key);
        row.addAll(values.get());
        row = old != null && random.nextInt(5) == 0 ? old : row;
        changes.add(new Change(1, row));
        table.put(key, row);
      }
    }
    return changes;
  }
}
