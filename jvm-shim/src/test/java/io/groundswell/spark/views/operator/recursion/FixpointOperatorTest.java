package io.groundswell.spark.views.operator.recursion;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Snapshot;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.view.TablePart;
import io.groundswell.spark.views.operator.view.ViewTables;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class FixpointOperatorTest {
  private static final List<Column> ROWS =
      columns("k", DataTypes.LongType, "level", DataTypes.IntegerType);
  private static final List<Column> RANKED =
      columns("k", DataTypes.LongType, "v", DataTypes.LongType, "level", DataTypes.IntegerType);

  private static Fixture fixpoint(boolean bag) {
    return new Fixture("{op: 'fixpoint', key: ['k'], level: 'level', rank: [], bag: " + bag
            + ", limit: 9, state: 'fixpoint'}",
        List.of(ROWS), ROWS, null);
  }

  private static Fixture least() {
    return new Fixture("{op: 'fixpoint', key: ['k'], level: 'level', bag: false, limit: 99, "
            + "state: 'fixpoint', rank: [{ref: 'v', ascending: true, nullsFirst: false}]}",
        List.of(RANKED), RANKED, null);
  }

  /** Numbers of the rows that a table has. */
  private static TreeSet<List<Long>> table(
      Fixture f, String table, int key, List<ToLongFunction<Row>> read) {
    TreeSet<List<Long>> found = new TreeSet<>(java.util.Comparator.comparing(Object::toString));
    try (Snapshot snapshot = f.snapshot()) {
      ViewTables.keyed(snapshot, table, key, 1, TablePart.ALL).forEachRemaining(row -> {
        List<Long> values = new ArrayList<>();
        read.forEach(each -> values.add(each.applyAsLong(at -> row.getLong(at))));
        found.add(values);
      });
    }
    return found;
  }

  @FunctionalInterface
  private interface Row {
    long at(int position);
  }

  private static TreeSet<List<Long>> keys(Fixture f) {
    return table(f, ViewTables.ROWS, 1, List.of(row -> row.at(0)));
  }

  @Test
  @Reaches({Mark.KEY_WAITS_FOR_ITS_LEVEL, Mark.ROW_IS_DERIVED_NO_MORE})
  void theFirstDerivationCountsAndALaterOneWaitsForItsLevel() {
    try (Fixture f = fixpoint(false)) {
      f.prepare(0);
      f.barrier(List.of(insert(7L, 0), insert(7L, 2), insert(7L, 2)));
      assertEquals(1, f.counters.nextLevel);
      assertEquals(List.of(List.of(7L)), List.copyOf(keys(f)));
      f.prepare(1);
      f.barrier(List.of());
      assertEquals(OperatorCounters.NO_LEVEL, f.counters.nextLevel);

      f.prepare(0);
      f.barrier(List.of(delete(7L, 0)));
      assertEquals(List.of(), List.copyOf(keys(f)), "gone until level 2 is settled");
      assertEquals(1, f.counters.nextLevel);
      f.prepare(1);
      f.barrier(List.of());
      assertEquals(2, f.counters.nextLevel);
      f.prepare(2);
      f.barrier(List.of(delete(7L, 2)));
      assertEquals(List.of(List.of(7L)), List.copyOf(keys(f)), "one of two is left");
    }
  }

  @Test
  void ofABagEveryDerivationCounts() {
    try (Fixture f = fixpoint(true)) {
      f.prepare(0);
      f.barrier(List.of(insert(7L, 0), insert(7L, 0), insert(7L, 1)));
      f.prepare(1);
      f.barrier(List.of());
      List<ToLongFunction<Row>> key = List.of(row -> row.at(0), row -> row.at(1), row -> row.at(2));
      assertEquals("[[7, 1, 0], [7, 1, 1], [7, 2, 0]]", table(f, ViewTables.ROWS, 3, key) + "");
      f.prepare(0);
      f.barrier(List.of(delete(7L, 0)));
      assertEquals("[[7, 1, 0], [7, 2, 0]]", table(f, ViewTables.ROWS, 3, key) + "");
    }
  }

  @Test
  @Reaches(Mark.BARRIER_IN_PASSES)
  void derivationsThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      theFirstDerivationCountsAndALaterOneWaitsForItsLevel();
      ofABagEveryDerivationCounts();
      randomGraphsComeToTheirShortestPaths();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void aDerivationThatIsNotThereCannotBeTakenBack() {
    try (Fixture f = fixpoint(false)) {
      f.prepare(0);
      EngineException e =
          assertThrows(EngineException.class, () -> f.barrier(List.of(delete(7L, 0))));
      assertTrue(e.getMessage().contains("{k=7} at level 0"), e.getMessage());
    }
  }

  /** The rounds of random graphs: the least distance of each node, as edges come and go. */
  @Test
  void randomGraphsComeToTheirShortestPaths() {
    Random random = new Random(Fixture.seed("FixpointOperatorTest"));
    for (int graph = 0; graph < 20; graph++) {
      Map<List<Long>, Long> edges = new HashMap<>();
      try (Fixture f = least()) {
        TreeSet<List<Long>> fed = feed(f);
        for (int barrier = 0; barrier < 12; barrier++) {
          List<Change> changes = new ArrayList<>();
          if (barrier == 0) {
            changes.add(insert(0L, 0L, 0));
          }
          for (int i = random.nextInt(5); i >= 0; i--) {
            List<Long> edge = List.of((long) random.nextInt(7), (long) random.nextInt(7));
            Long was = edges.remove(edge);
            if (was != null) {
              changes.addAll(derived(fed, edge, was, -1));
            }
            if (was == null || random.nextBoolean()) {
              edges.put(edge, (long) random.nextInt(5));
              changes.addAll(derived(fed, edge, edges.get(edge), 1));
            }
          }
          fed = settle(f, edges, fed, changes, random);
          assertEquals(shortest(edges),
              table(f, ViewTables.ROWS, 1, List.of(row -> row.at(0), row -> row.at(1))));
        }
      }
    }
  }

  private static TreeSet<List<Long>> settle(Fixture f, Map<List<Long>, Long> edges,
      TreeSet<List<Long>> before, List<Change> first, Random random) {
    TreeSet<List<Long>> fed = before;
    List<Change> changes = first;
    for (long level = 0; level != OperatorCounters.NO_LEVEL; level = f.counters.nextLevel) {
      f.prepare((int) level);
      f.shuffled(random, changes);
      TreeSet<List<Long>> now = feed(f);
      changes = new ArrayList<>();
      for (Map.Entry<List<Long>, Long> edge : edges.entrySet()) {
        changes.addAll(derived(without(fed, now), edge.getKey(), edge.getValue(), -1));
        changes.addAll(derived(without(now, fed), edge.getKey(), edge.getValue(), 1));
      }
      fed = now;
    }
    return fed;
  }

  /** Key, value, level of what is made of it. */
  private static TreeSet<List<Long>> feed(Fixture f) {
    return table(f, FixpointOperator.FEED, 3,
        List.of(row -> row.at(0), row -> row.at(3), row -> (int) row.at(1)));
  }

  private static List<List<Long>> without(TreeSet<List<Long>> all, TreeSet<List<Long>> others) {
    return all.stream().filter(each -> !others.contains(each)).toList();
  }

  private static List<Change> derived(
      Iterable<List<Long>> fed, List<Long> edge, long length, int weight) {
    List<Change> made = new ArrayList<>();
    for (List<Long> row : fed) {
      if (row.get(0).equals(edge.get(0))) {
        made.add(new Change(
            weight, Arrays.asList(edge.get(1), row.get(1) + length, row.get(2).intValue())));
      }
    }
    return made;
  }

  private static TreeSet<List<Long>> shortest(Map<List<Long>, Long> edges) {
    TreeMap<Long, Long> far = new TreeMap<>(Map.of(0L, 0L));
    for (int round = 0; round < 10; round++) {
      edges.forEach((edge, length) -> {
        if (far.containsKey(edge.get(0))) {
          far.merge(edge.get(1), far.get(edge.get(0)) + length, Math::min);
        }
      });
    }
    TreeSet<List<Long>> rows = new TreeSet<>(java.util.Comparator.comparing(Object::toString));
    far.forEach((node, distance) -> rows.add(List.of(node, distance)));
    return rows;
  }
}
