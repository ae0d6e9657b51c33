package io.groundswell.spark.views.operator.join;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.engine.EngineServices;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.RandomChanges;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.state.BundleTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class JoinOperatorTest {
  private static final List<Column> LEFT =
      columns("lid", DataTypes.LongType, "lk", DataTypes.StringType, "lv", DataTypes.StringType);
  private static final List<Column> RIGHT =
      columns("rid", DataTypes.LongType, "rk", DataTypes.StringType, "rv", DataTypes.StringType);

  private static Fixture join() {
    List<Column> output = new ArrayList<>(LEFT);
    output.addAll(RIGHT);
    return new Fixture(
        "{op: 'join', leftKeys: ['lk'], rightKeys: ['rk'], leftKey: ['lid'], rightKey: ['rid'],"
            + " state: 'j'}",
        List.of(LEFT, RIGHT), output, null);
  }

  @Test
  void aRowMeetsTheOtherSidesRowsOfItsKey() {
    try (Fixture f = join()) {
      f.barrier(List.of(), List.of(insert(1L, "x", "r1"), insert(2L, "x", "r2")));
      assertEquals(
          List.of(insert(7L, "x", "l", 1L, "x", "r1"), insert(7L, "x", "l", 2L, "x", "r2")),
          f.barrier(List.of(insert(7L, "x", "l"), insert(8L, "y", "l")), List.of()));
      assertEquals(
          List.of(delete(7L, "x", "l", 1L, "x", "r1"), insert(7L, "x", "l", 1L, "x", "new")),
          f.barrier(List.of(), List.of(insert(1L, "x", "new"), delete(1L, "x", "r1"))));
    }
  }

  @Test
  void aLeftUpdateAndARightInsertInOneBarrierGiveOneRow() {
    try (Fixture f = join()) {
      f.barrier(List.of(insert(1L, "x", "a")), List.of());
      assertEquals(List.of(insert(1L, "x", "b", 2L, "x", "r")),
          f.barrier(
              List.of(delete(1L, "x", "a"), insert(1L, "x", "b")), List.of(insert(2L, "x", "r"))));
    }
  }

  @Test
  void bothSidesUpdatedInOneBarrierGiveOnePair() {
    try (Fixture f = join()) {
      f.barrier(List.of(insert(1L, "x", "a")), List.of(insert(2L, "x", "r")));
      assertEquals(List.of(delete(1L, "x", "a", 2L, "x", "r"), insert(1L, "x", "b", 2L, "x", "s")),
          f.barrier(List.of(delete(1L, "x", "a"), insert(1L, "x", "b")),
              List.of(insert(2L, "x", "s"), delete(2L, "x", "r"))));
      assertEquals(List.of(delete(1L, "x", "b", 2L, "x", "s")),
          f.barrier(List.of(delete(1L, "x", "b")), List.of(delete(2L, "x", "s"))));
    }
  }

  @Test
  void equalRowsWithOtherStreamKeysCountEach() {
    try (Fixture f = join()) {
      f.barrier(List.of(insert(1L, "x", "a"), insert(2L, "x", "a")), List.of());
      assertEquals(List.of(insert(1L, "x", "a", 5L, "x", "r"), insert(2L, "x", "a", 5L, "x", "r")),
          f.barrier(List.of(), List.of(insert(5L, "x", "r"))));
      assertEquals(List.of(delete(1L, "x", "a", 5L, "x", "r")),
          f.barrier(List.of(delete(1L, "x", "a")), List.of()));
    }
  }

  @Test
  void aRowDeletedAndInsertedAgainIsUnchanged() {
    try (Fixture f = join()) {
      f.barrier(List.of(insert(1L, "x", "a")), List.of());
      assertEquals(List.of(insert(1L, "x", "a", 5L, "x", "r")),
          f.barrier(
              List.of(insert(1L, "x", "a"), delete(1L, "x", "a")), List.of(insert(5L, "x", "r"))));
    }
  }

  @Test
  void nullKeysMatchNothingAndAreNotKept() {
    try (Fixture f = join()) {
      assertEquals(
          List.of(), f.barrier(List.of(insert(1L, null, "a")), List.of(insert(1L, null, "r"))));
      assertEquals(0, f.counters.stateWrites);
      assertEquals(List.of(), f.barrier(List.of(delete(1L, null, "a")), List.of()));
    }
  }

  @Test
  void readsOnlyTheOtherSideAndOnlyTheKeysThatChanged() {
    try (Fixture f = join()) {
      List<Change> left = new ArrayList<>();
      List<Change> right = new ArrayList<>();
      for (long id = 0; id < 1000; id++) {
        left.add(insert(id, "k" + id, "l"));
        right.add(insert(id, "k" + id, "r"));
      }
      f.barrier(left, right);
      f.barrier(List.of(insert(5000L, "k5", "new"), insert(5001L, "none", "new")), List.of());
      assertEquals(1, f.counters.stateReads);
      assertEquals(2, f.counters.stateWrites);
    }
  }

  @Test
  void twoRowsOfOneStreamKeyAreAnError() {
    try (Fixture f = join()) {
      assertThrows(EngineException.class,
          () -> f.barrier(List.of(insert(1L, "x", "a"), insert(1L, "x", "b")), List.of()));
    }
  }

  @Test
  void changesThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomChangesOfBothSidesKeepTheJoin();
      appendedRowsMeetThoseOfAllBarriers();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void randomChangesOfBothSidesKeepTheJoin() {
    Random random = new Random(Fixture.seed("JoinOperatorTest"));
    try (Fixture f = join()) {
      Map<Long, List<Object>> left = new TreeMap<>();
      Map<Long, List<Object>> right = new TreeMap<>();
      Map<List<Object>, List<Object>> given = Fixture.table();
      for (int epoch = 0; epoch < 60; epoch++) {
        List<Change> ofLeft = RandomChanges.keyed(random, left, 6, () -> values(random));
        List<Change> ofRight = RandomChanges.keyed(random, right, 6, () -> values(random));
        // keyed by both stream keys and the join key, which may change
        Fixture.apply(given, f.shuffled(random, ofLeft, ofRight), 0, 3, 1);
        Set<List<Object>> expected = new HashSet<>();
        for (List<Object> l : left.values()) {
          for (List<Object> r : right.values()) {
            if (l.get(1) != null && l.get(1).equals(r.get(1))) {
              List<Object> both = new ArrayList<>(l);
              both.addAll(r);
              expected.add(both);
            }
          }
        }
        assertEquals(expected, new HashSet<>(given.values()));
      }
    }
  }

  private static Fixture appendJoin() {
    List<Column> output = new ArrayList<>(LEFT);
    output.addAll(RIGHT);
    return new Fixture(
        "{op: 'join', leftKeys: ['lk'], rightKeys: ['rk'], leftKey: ['lid'], rightKey: ['rid'],"
            + " leftAppendOnly: true, rightAppendOnly: true, state: 'j'}",
        List.of(LEFT, RIGHT), output, null);
  }

  @Test
  void appendedRowsMeetThoseOfAllBarriers() {
    Random random = new Random(Fixture.seed("JoinOperatorTest.append"));
    try (Fixture f = appendJoin()) {
      List<List<Object>> left = new ArrayList<>();
      List<List<Object>> right = new ArrayList<>();
      List<List<Object>> given = new ArrayList<>();
      for (int epoch = 0; epoch < 30; epoch++) {
        List<Change> ofLeft = added(random, left, epoch);
        List<Change> ofRight = added(random, right, epoch);
        f.shuffled(random, ofLeft, ofRight).forEach(change -> {
          assertEquals(1, change.weight());
          given.add(change.row());
        });
        List<String> expected = new ArrayList<>();
        for (List<Object> l : left) {
          for (List<Object> r : right) {
            if (l.get(1) != null && l.get(1).equals(r.get(1))) {
              List<Object> both = new ArrayList<>(l);
              both.addAll(r);
              expected.add(both.toString());
            }
          }
        }
        assertEquals(expected.stream().sorted().toList(),
            given.stream().map(Object::toString).sorted().toList());
      }
    }
  }

  private static List<Change> added(Random random, List<List<Object>> all, int epoch) {
    List<Change> changes = new ArrayList<>();
    for (int i = random.nextInt(8); i > 0; i--) {
      List<Object> row = new ArrayList<>(List.of((long) all.size()));
      row.addAll(values(random));
      all.add(row);
      changes.add(new Change(1, row));
    }
    return changes;
  }

  @Test
  void manyAppendedRowsOfAKeyAreKeptInPieces() {
    try (Fixture f = appendJoin()) {
      String wide = "w".repeat(BundleTable.PIECE / 3);
      List<Change> left = new ArrayList<>();
      for (long id = 0; id < 10; id++) {
        left.add(insert(id, "k", wide));
      }
      f.barrier(left, List.of());
      assertEquals(10, f.counters.stateWrites);
      assertEquals(10, f.barrier(List.of(), List.of(insert(1L, "k", "r"))).size());
      assertEquals(10, f.counters.stateReads);
    }
  }

  @Test
  void anAppendedRowIsNotTakenBack() {
    try (Fixture f = appendJoin()) {
      f.barrier(List.of(insert(1L, "k", "l")), List.of());
      assertThrows(
          EngineException.class, () -> f.barrier(List.of(delete(1L, "k", "l")), List.of()));
    }
  }

  private static List<Object> values(Random random) {
    String key = random.nextInt(6) == 0 ? null : "k" + random.nextInt(3);
    return Arrays.asList(key, "v" + random.nextInt(2));
  }
}
