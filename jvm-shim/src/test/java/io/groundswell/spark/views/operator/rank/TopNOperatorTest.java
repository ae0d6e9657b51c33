package io.groundswell.spark.views.operator.rank;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.RandomChanges;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class TopNOperatorTest {
  private static final List<Column> INPUT =
      columns("id", DataTypes.LongType, "n", DataTypes.IntegerType, "s", DataTypes.StringType);

  private static Fixture top(int offset, int limit) {
    return new Fixture("{op: 'top_n', order: [{ref: 'n', ascending: false, nullsFirst: false},"
            + " {ref: 's', ascending: true, nullsFirst: true}], key: ['id'], state: 't',"
            + " limit: " + limit + ", offset: " + offset + "}",
        List.of(INPUT), INPUT, null);
  }

  @Test
  @Reaches(Mark.TOP_ROW_LEAVES)
  void aRowThatGoesMakesRoomForTheNext() {
    try (Fixture f = top(0, 2)) {
      assertEquals(List.of(insert(3L, 30, "c"), insert(2L, 20, "b")),
          f.barrier(List.of(insert(1L, 10, "a"), insert(2L, 20, "b"), insert(3L, 30, "c"))));
      assertEquals(List.of(delete(3L, 30, "c"), insert(1L, 10, "a")),
          f.barrier(List.of(delete(3L, 30, "c"))));
    }
  }

  @Test
  void aRowOfTheTopThatChangesIsAnUpdate() {
    try (Fixture f = top(0, 2)) {
      f.barrier(List.of(insert(1L, 10, "a"), insert(2L, 20, "b"), insert(3L, 30, "c")));
      assertEquals(List.of(delete(3L, 30, "c"), insert(3L, 25, "c")),
          f.barrier(List.of(insert(3L, 25, "c"), delete(3L, 30, "c"))));
    }
  }

  @Test
  @Reaches(Mark.TOP_IS_UNMOVED)
  void aChangeBelowTheTopReadsTheTopOnce() {
    try (Fixture f = top(0, 2)) {
      List<Change> many = new ArrayList<>();
      for (long id = 0; id < 1000; id++) {
        many.add(insert(id, (int) id, "x"));
      }
      f.barrier(many);
      assertEquals(List.of(), f.barrier(List.of(delete(7L, 7, "x"), insert(7L, 8, "x"))));
      assertEquals(2, f.counters.stateReads);
      f.barrier(List.of(delete(999L, 999, "x")));
      assertEquals(4, f.counters.stateReads);
    }
  }

  @Test
  void limitZeroGivesNothing() {
    try (Fixture f = top(0, 0)) {
      assertEquals(List.of(), f.barrier(List.of(insert(1L, 1, "a"))));
    }
  }

  @Test
  void changesThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomChangesKeepTheTop();
      aRowOfTheTopThatChangesIsAnUpdate();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void randomChangesKeepTheTop() {
    Random random = new Random(Fixture.seed("TopNOperatorTest"));
    Comparator<List<Object>> order =
        Comparator
            .<List<Object>, Integer>comparing(
                r -> (Integer) r.get(1), Comparator.nullsFirst(Comparator.<Integer>naturalOrder()))
            .reversed()
            .thenComparing(
                r -> (String) r.get(2), Comparator.nullsFirst(Comparator.<String>naturalOrder()))
            .thenComparing(r -> (Long) r.get(0));
    for (int[] shape : new int[][] {{0, 3}, {2, 3}, {1, 1}, {0, 100}}) {
      try (Fixture f = top(shape[0], shape[1])) {
        Map<Long, List<Object>> kept = new TreeMap<>();
        Map<List<Object>, List<Object>> given = Fixture.table();
        for (int epoch = 0; epoch < 30; epoch++) {
          List<Change> changes = RandomChanges.keyed(random, kept, 9,
              ()
                  -> Arrays.asList(random.nextInt(5) == 0 ? null : random.nextInt(4),
                      random.nextInt(5) == 0 ? null : "s" + random.nextInt(3)));
          Fixture.apply(given, f.shuffled(random, changes), 0);
          List<List<Object>> expected =
              kept.values().stream().sorted(order).skip(shape[0]).limit(shape[1]).toList();
          assertEquals(new HashSet<>(expected), new HashSet<>(given.values()));
          assertTrue(f.counters.stateReads <= 2L * (shape[0] + shape[1]));
        }
      }
    }
  }
}
