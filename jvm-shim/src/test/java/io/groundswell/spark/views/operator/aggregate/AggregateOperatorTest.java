package io.groundswell.spark.views.operator.aggregate;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.junit.jupiter.api.Test;

class AggregateOperatorTest {
  private static final List<Column> INPUT = columns("g", DataTypes.StringType, "x",
      DataTypes.IntegerType, "d", DataTypes.DoubleType, "ok", DataTypes.BooleanType, "l",
      DataTypes.LongType, "m", DataTypes.createDecimalType(38, 2));

  private static Change row(int weight, String g, Integer x) {
    return new Change(weight, Arrays.asList(g, x, null, null, null, null));
  }

  private static Change doubles(int weight, double d) {
    return new Change(weight, Arrays.asList("a", null, d, null, null, null));
  }

  @Test
  void groupsComeChangeAndVanish() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of("g"), "count()", "sum(x)", "max(x)")) {
      assertEquals(List.of(insert("a", 2L, 3L, 2), insert("b", 1L, null, null)),
          f.barrier(List.of(row(1, "a", 1), row(1, "a", 2), row(1, "b", null))));
      assertEquals(
          List.of(delete("a", 2L, 3L, 2), insert("a", 1L, 1L, 1), delete("b", 1L, null, null)),
          f.barrier(List.of(row(-1, "a", 2), row(-1, "b", null))));
      assertEquals(List.of(delete("a", 1L, 1L, 1)), f.barrier(List.of(row(-1, "a", 1))));
    }
  }

  @Test
  @Reaches(Mark.VALUES_GROW_IN_A_PASS)
  void groupsThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      groupsComeChangeAndVanish();
      theMinimumThatGoesIsFollowedByTheNext();
      distinctCallsWithOtherFiltersShareAValue();
      distinctCallsCountEachValueOnce();
      zerosAndNansAreOneGroupEach();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  @Reaches(Mark.GROUP_COMES_AND_GOES)
  void changesThatAddUpToNothingAreNone() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of("g"), "sum(x)", "min(x)")) {
      f.barrier(List.of(row(1, "a", 1), row(1, "a", 2)));
      assertEquals(List.of(),
          f.barrier(List.of(row(-1, "a", 1), row(1, "b", 7), row(1, "a", 1), row(-1, "b", 7))));
      assertEquals(0, f.counters.stateWrites);
    }
  }

  @Test
  void withoutGroupingThereIsAlwaysOneRow() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of(), "count()", "sum(x)")) {
      assertEquals(List.of(insert(0L, null)), f.barrier(List.of()));
      assertEquals(List.of(), f.barrier(List.of()));
      assertEquals(List.of(delete(0L, null), insert(1L, 5L)), f.barrier(List.of(row(1, "a", 5))));
      assertEquals(List.of(delete(1L, 5L), insert(0L, null)), f.barrier(List.of(row(-1, "a", 5))));
    }
  }

  @Test
  @Reaches(Mark.EXTREME_SOUGHT_ANEW)
  void theMinimumThatGoesIsFollowedByTheNext() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of("g"), "min(x)", "max(x)")) {
      List<Change> many = new ArrayList<>();
      for (int x = -500; x < 500; x++) {
        many.add(row(1, "a", x));
      }
      f.barrier(many);
      f.barrier(List.of(row(-1, "a", -500), row(1, "a", 3)));
      assertEquals(List.of(), f.barrier(List.of(row(-1, "a", 3))));
      assertEquals(List.of(delete("a", -499, 499), insert("a", -498, 499)),
          f.barrier(List.of(row(-1, "a", -499))));
      assertTrue(f.counters.stateReads <= 4, "reads " + f.counters.stateReads);
    }
  }

  @Test
  void anAppendOnlyInputNeedsNoMultiset() {
    try (Fixture f =
             AggregateFixture.of(new TestState(), INPUT, true, List.of("g"), "min(x)", "max(x)")) {
      f.barrier(List.of(row(1, "a", 1), row(1, "a", null)));
      assertEquals(List.of(delete("a", 1, 1), insert("a", -1, 9)),
          f.barrier(List.of(row(1, "a", 9), row(1, "a", -1))));
      assertEquals(1, f.counters.stateWrites);
      assertThrows(EngineException.class, () -> f.barrier(List.of(row(-1, "a", 9))));
    }
  }

  @Test
  void ofAnAppendOnlyInputADistinctValueIsWrittenOnce() {
    try (Fixture f = AggregateFixture.of(
             new TestState(), INPUT, true, List.of("g"), "count(distinct x)", "sum(distinct x)")) {
      f.barrier(List.of(row(1, "a", 1), row(1, "a", 2), row(1, "a", 2)));
      assertEquals(List.of(delete("a", 2L, 3L), insert("a", 3L, 8L)),
          f.barrier(List.of(row(1, "a", 2), row(1, "a", 5), row(1, "a", 1))));
      assertEquals(2, f.counters.stateWrites); // the group and the new value
      f.barrier(List.of(row(1, "a", 5), row(1, "a", 5)));
      assertEquals(1, f.counters.stateWrites);
      assertThrows(EngineException.class, () -> f.barrier(List.of(row(-1, "a", 2))));
    }
  }

  /** A value may be there for one filter long before it is for another. */
  @Test
  void distinctCallsWithOtherFiltersShareAValue() {
    String[] calls = {"count(distinct x)", "count(distinct x) if ok", "sum(distinct x) if ok"};
    for (boolean appendOnly : new boolean[] {false, true}) {
      try (Fixture f =
               AggregateFixture.of(new TestState(), INPUT, appendOnly, List.of("g"), calls)) {
        assertEquals(List.of(insert("a", 1L, 0L, null)), f.barrier(List.of(checked(1, 7, false))));
        assertEquals(2, f.counters.stateWrites); // the group and the value
        assertEquals(List.of(delete("a", 1L, 0L, null), insert("a", 1L, 1L, 7L)),
            f.barrier(List.of(checked(1, 7, true))));
        assertEquals(List.of(delete("a", 1L, 1L, 7L), insert("a", 2L, 1L, 7L)),
            f.barrier(List.of(checked(1, 8, null), checked(1, 7, true), checked(1, null, true))));
        if (!appendOnly) {
          f.barrier(List.of(checked(-1, 7, true)));
          assertEquals(List.of(delete("a", 2L, 1L, 7L), insert("a", 2L, 0L, null)),
              f.barrier(List.of(checked(-1, 7, true))));
        }
        assertThrows(EngineException.class, () -> f.barrier(List.of(checked(-1, 8, true))));
      }
    }
  }

  private static Change checked(int weight, Integer x, Boolean ok) {
    return new Change(weight, Arrays.asList("a", x, null, ok, null, null));
  }

  @Test
  void filteredCallsSeeOnlyWhatPasses() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of(), "count() if ok", "max(x) if ok")) {
      f.barrier(List.of(insert("a", 1, null, true, null, null),
          insert("a", 9, null, false, null, null), insert("a", 8, null, null, null, null)));
      assertEquals(List.of(delete(1L, 1), insert(0L, null)),
          f.barrier(List.of(delete("a", 1, null, true, null, null))));
    }
  }

  @Test
  void distinctCallsCountEachValueOnce() {
    try (Fixture f = AggregateFixture.of(
             INPUT, List.of("g"), "count(distinct x)", "sum(distinct x)", "min(x)")) {
      assertEquals(List.of(insert("a", 2L, 3L, 1)),
          f.barrier(List.of(row(1, "a", 1), row(1, "a", 2), row(1, "a", 2), row(1, "a", null))));
      assertEquals(List.of(), f.barrier(List.of(row(-1, "a", 2))));
      assertEquals(List.of(delete("a", 2L, 3L, 1), insert("a", 1L, 1L, 1)),
          f.barrier(List.of(row(-1, "a", 2))));
    }
  }

  @Test
  void aValueThatLeavesADoubleSumLeavesNoTrace() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of("g"), "sum(d)", "avg(d)")) {
      f.barrier(List.of(doubles(1, 1e16), doubles(1, 1.0)));
      assertEquals(List.of(delete("a", 1e16, 5e15), insert("a", 1.0, 1.0)),
          f.barrier(List.of(doubles(-1, 1e16))));
      f.barrier(List.of(doubles(1, Double.NaN), doubles(1, Double.NEGATIVE_INFINITY)));
      assertEquals(List.of(delete("a", Double.NaN, Double.NaN),
                       insert("a", Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY)),
          f.barrier(List.of(doubles(-1, Double.NaN))));
      f.barrier(List.of(doubles(-1, Double.NEGATIVE_INFINITY)));
      assertEquals(List.of(delete("a", 1.0, 1.0), insert("a", 1.0 + 1e300, (1.0 + 1e300) / 2)),
          f.barrier(List.of(doubles(1, 1e300))));
      assertEquals(List.of(delete("a", 1e300, 5e299), insert("a", 1.0, 1.0)),
          f.barrier(List.of(doubles(-1, 1e300))));
    }
  }

  @Test
  void zerosAndNansAreOneGroupEach() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of("d"), "count()", "count(distinct d)")) {
      double otherNan = Double.longBitsToDouble(0x7ff8000000000001L);
      assertEquals(List.of(insert(0.0, 2L, 1L), insert(Double.NaN, 2L, 1L)),
          f.barrier(List.of(
              doubles(1, -0.0), doubles(1, 0.0), doubles(1, Double.NaN), doubles(1, otherNan))));
    }
  }

  @Test
  void aSumThatItsTypeCannotHoldIsWhatTheSessionSays() {
    Change big = insert("a", null, null, null, Long.MAX_VALUE, null);
    try (Fixture f = AggregateFixture.of(INPUT, List.of(), "sum(l)")) {
      assertThrows(ArithmeticException.class, () -> f.barrier(List.of(big, big)));
      Change small = insert("a", null, null, null, -2L, null);
      assertEquals(List.of(insert(Long.MAX_VALUE - 2)), f.barrier(List.of(big, small)));
    }
    try (Fixture f = AggregateFixture.of(INPUT, List.of(), "try_sum(l)", "legacy_sum(l)")) {
      assertEquals(List.of(insert(null, -2L)), f.barrier(List.of(big, big)));
      assertEquals(List.of(delete(null, -2L), insert(Long.MAX_VALUE, Long.MAX_VALUE)),
          f.barrier(List.of(delete(big.row().toArray()))));
    }
  }

  @Test
  void aDecimalSumOfMoreThan38DigitsIsWhatTheSessionSays() {
    Decimal large = Decimal.apply("9".repeat(36) + ".99");
    Change big = insert("a", null, null, null, null, large);
    try (Fixture f = AggregateFixture.of(INPUT, List.of(), "sum(m)")) {
      assertThrows(ArithmeticException.class, () -> f.barrier(List.of(big, big)));
    }
    try (Fixture f = AggregateFixture.of(INPUT, List.of(), "try_sum(m)", "legacy_avg(m)")) {
      assertEquals(List.of(insert(null, null)), f.barrier(List.of(big, big)));
      assertEquals(large, f.barrier(List.of(delete(big.row().toArray()))).get(1).row().get(0));
    }
  }

  @Test
  void moreDeletesThanInsertsAreAnError() {
    try (Fixture f = AggregateFixture.of(INPUT, List.of("g"), "count(x)", "min(x)")) {
      f.barrier(List.of(row(1, "a", 1)));
      EngineException e =
          assertThrows(EngineException.class, () -> f.barrier(List.of(row(-1, "a", 2))));
      assertTrue(e.getMessage().contains("the value 2 is taken away 1 times"), e.getMessage());
      e = assertThrows(EngineException.class, () -> f.barrier(List.of(row(-1, "b", null))));
      assertTrue(e.getMessage().contains("in the group {g=b}"), e.getMessage());
    }
  }

  @Test
  void aGroupCostsOneReadAndOneWriteABarrier() {
    try (Fixture f =
             AggregateFixture.of(INPUT, List.of("g"), "count()", "sum(x)", "avg(d)", "sum(m)")) {
      List<Change> many = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        many.add(row(1, "g" + i % 10, i));
      }
      f.barrier(many);
      assertEquals(10, f.counters.stateReads);
      assertEquals(10, f.counters.stateWrites);
      f.barrier(List.of(row(1, "g1", 1), row(1, "g1", 2)));
      assertEquals(1, f.counters.stateReads);
      assertEquals(1, f.counters.stateWrites);
    }
  }
}
