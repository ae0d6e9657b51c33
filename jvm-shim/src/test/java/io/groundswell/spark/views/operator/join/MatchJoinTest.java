package io.groundswell.spark.views.operator.join;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.RandomChanges;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outer, semi, anti and existence joins: left columns lid, lk, lv, right columns rid, rk, rv. */
class MatchJoinTest {
  private static final List<Column> LEFT =
      columns("lid", DataTypes.LongType, "lk", DataTypes.StringType, "lv", DataTypes.LongType);
  private static final List<Column> RIGHT =
      columns("rid", DataTypes.LongType, "rk", DataTypes.StringType, "rv", DataTypes.LongType);

  /** Finds the condition {@code lv < rv}. */
  private static final class Less implements CallResolver {
    @Override
    public AggregateExpression resolve(String id) {
      throw new AssertionError(id);
    }

    @Override
    public Expression condition(String id, List<Column> columns) {
      return new LessThan(new BoundReference(2, DataTypes.LongType, true),
          new BoundReference(5, DataTypes.LongType, true));
    }
  }

  private static Fixture join(String type, boolean residual) {
    List<Column> output = new ArrayList<>(LEFT);
    if (type.endsWith("outer")) {
      output.addAll(RIGHT);
    } else if (type.equals("existence")) {
      output.addAll(columns("exists", DataTypes.BooleanType));
    }
    return new Fixture("{op: 'join', joinType: '" + type + "', leftKeys: ['lk'], rightKeys: ['rk'],"
            + " leftKey: ['lid'], rightKey: ['rid'], state: 'j'"
            + (residual ? ", residual: 'less'" : "") + "}",
        List.of(LEFT, RIGHT), output, new Less());
  }

  @Test
  @Reaches(Mark.FIRST_OR_LAST_MATCH)
  void leftOuterRowsStandBesideNullsUntilTheirFirstMatch() {
    try (Fixture f = join("left_outer", false)) {
      assertEquals(List.of(insert(1L, "x", 5L, null, null, null)),
          f.barrier(List.of(insert(1L, "x", 5L)), List.of()));
      assertEquals(List.of(insert(1L, "x", 5L, 7L, "x", 9L), delete(1L, "x", 5L, null, null, null)),
          f.barrier(List.of(), List.of(insert(7L, "x", 9L))));
      assertEquals(List.of(insert(1L, "x", 5L, 8L, "x", 9L)),
          f.barrier(List.of(), List.of(insert(8L, "x", 9L))));
      assertEquals(List.of(delete(1L, "x", 5L, 7L, "x", 9L)),
          f.barrier(List.of(), List.of(delete(7L, "x", 9L))));
      assertEquals(List.of(delete(1L, "x", 5L, 8L, "x", 9L), insert(1L, "x", 5L, null, null, null)),
          f.barrier(List.of(), List.of(delete(8L, "x", 9L))));
    }
  }

  @Test
  void aMatchThatIsReplacedIsNoLossOfMatches() {
    try (Fixture f = join("left_outer", false)) {
      f.barrier(List.of(insert(1L, "x", 5L)), List.of(insert(7L, "x", 9L)));
      assertEquals(List.of(delete(1L, "x", 5L, 7L, "x", 9L), insert(1L, "x", 5L, 8L, "x", 3L)),
          f.barrier(List.of(), List.of(delete(7L, "x", 9L), insert(8L, "x", 3L))));
    }
  }

  @Test
  @Reaches(Mark.MATCHES_COUNTED_ANEW)
  void aConditionDecidesWhichRowsOfTheKeyMatch() {
    try (Fixture f = join("left_anti", true)) {
      f.barrier(List.of(insert(1L, "x", 5L), insert(2L, "x", 7L)), List.of());
      assertEquals(List.of(delete(1L, "x", 5L)),
          f.barrier(List.of(), List.of(insert(7L, "x", 6L), insert(8L, "x", 1L))));
      assertEquals(List.of(insert(1L, "x", 5L), delete(2L, "x", 7L)),
          f.barrier(List.of(delete(2L, "x", 7L)), List.of(delete(7L, "x", 6L)))
              .stream()
              .sorted(java.util.Comparator.comparing(c -> c.row().toString()))
              .toList());
    }
  }

  @Test
  @Reaches(Mark.KEY_WITHOUT_MATCHES)
  void aFullJoinKeepsBothSides() {
    try (Fixture f = join("full_outer", false)) {
      assertEquals(
          List.of(insert(1L, null, 5L, null, null, null), insert(null, null, null, 2L, null, 6L)),
          f.barrier(List.of(insert(1L, null, 5L)), List.of(insert(2L, null, 6L))));
      assertEquals(0, f.counters.stateWrites);
      assertEquals(List.of(insert(null, null, null, 7L, "x", 9L)),
          f.barrier(List.of(), List.of(insert(7L, "x", 9L))));
      assertEquals(List.of(insert(1L, "x", 5L, 7L, "x", 9L), delete(null, null, null, 7L, "x", 9L),
                       delete(1L, null, 5L, null, null, null)),
          sorted(f.barrier(List.of(delete(1L, null, 5L), insert(1L, "x", 5L)), List.of())));
    }
  }

  private static List<Change> sorted(List<Change> changes) {
    return changes.stream()
        .sorted(java.util.Comparator.comparing((Change c) -> - c.weight())
                .thenComparing(c -> c.row().toString(), java.util.Comparator.reverseOrder()))
        .toList();
  }

  @Test
  void anExistenceJoinSaysWhetherThereIsAMatch() {
    try (Fixture f = join("existence", false)) {
      assertEquals(List.of(insert(1L, "x", 5L, false), insert(2L, null, 5L, false)),
          f.barrier(List.of(insert(1L, "x", 5L), insert(2L, null, 5L)), List.of()));
      assertEquals(List.of(delete(1L, "x", 5L, false), insert(1L, "x", 5L, true)),
          f.barrier(List.of(), List.of(insert(7L, "x", 9L))));
    }
  }

  @ParameterizedTest
  @CsvSource({"left_semi", "left_anti"})
  void oneMoreMatchAmongManyReadsOneRow(String type) {
    try (Fixture f = join(type, false)) {
      List<Change> left = new ArrayList<>();
      List<Change> right = new ArrayList<>();
      for (long id = 0; id < 200; id++) {
        left.add(insert(id, "x", id));
        right.add(insert(id, "x", id));
      }
      f.barrier(left, right);
      assertEquals(List.of(), f.barrier(List.of(), List.of(insert(1000L, "x", 1L))));
      assertEquals(1, f.counters.stateReads);
      assertEquals(1, f.counters.stateWrites);
    }
  }

  @ParameterizedTest
  @CsvSource({"left_outer,false", "left_outer,true", "full_outer,false", "full_outer,true",
      "left_semi,false", "left_semi,true", "left_anti,false", "left_anti,true", "existence,false",
      "existence,true"})
  void randomChangesOfBothSidesKeepTheJoin(String type, boolean residual) {
    Random random = new Random(Fixture.seed("MatchJoinTest " + type + " " + residual));
    try (Fixture f = join(type, residual)) {
      Map<Long, List<Object>> left = new TreeMap<>();
      Map<Long, List<Object>> right = new TreeMap<>();
      Map<List<Object>, Integer> given = Fixture.table();
      for (int epoch = 0; epoch < 60; epoch++) {
        List<Change> ofLeft = RandomChanges.keyed(random, left, 6, () -> values(random));
        List<Change> ofRight = RandomChanges.keyed(random, right, 6, () -> values(random));
        for (Change change : f.shuffled(random, ofLeft, ofRight)) {
          given.merge(change.row(), change.weight(), Integer::sum);
        }
        given.values().removeIf(count -> count == 0);
        Map<List<Object>, Integer> expected = Fixture.table();
        expected(type, residual, left, right).forEach(row -> expected.put(row, 1));
        assertEquals(expected, given, "epoch " + epoch);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"left_outer,true", "full_outer,false", "left_semi,false", "left_anti,true"})
  void changesThatDoNotFitAreTakenInPasses(String type, boolean residual) {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomChangesOfBothSidesKeepTheJoin(type, residual);
    } finally {
      EngineServices.closeShared();
    }
  }

  private static Set<List<Object>> expected(
      String type, boolean residual, Map<Long, List<Object>> left, Map<Long, List<Object>> right) {
    Set<List<Object>> result = new HashSet<>();
    Set<List<Object>> matched = new HashSet<>();
    Set<List<Object>> matchedRight = new HashSet<>();
    for (List<Object> l : left.values()) {
      for (List<Object> r : right.values()) {
        if (l.get(1) != null && l.get(1).equals(r.get(1))
            && (!residual || (Long) l.get(2) < (Long) r.get(2))) {
          matched.add(l);
          matchedRight.add(r);
          if (type.endsWith("outer")) {
            result.add(beside(l, r));
          }
        }
      }
      boolean found = matched.contains(l);
      switch (type) {
        case "left_semi" -> add(result, l, found);
        case "left_anti" -> add(result, l, !found);
        case "existence" -> result.add(beside(l, List.of(found)));
        default -> add(result, beside(l, Arrays.asList(null, null, null)), !found);
      }
    }
    if (type.equals("full_outer")) {
      right.values().forEach(
          r -> add(result, beside(Arrays.asList(null, null, null), r), !matchedRight.contains(r)));
    }
    return result;
  }

  private static void add(Set<List<Object>> rows, List<Object> row, boolean is) {
    if (is) {
      rows.add(row);
    }
  }

  private static List<Object> beside(List<Object> left, List<Object> right) {
    List<Object> both = new ArrayList<>(left);
    both.addAll(right);
    return both;
  }

  private static List<Object> values(Random random) {
    String key = random.nextInt(6) == 0 ? null : "k" + random.nextInt(3);
    return Arrays.asList(key, (long) random.nextInt(4));
  }
}
