package io.groundswell.spark.views.operator.rank;

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
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class FirstRowsOperatorTest {
  private static final List<Column> INPUT =
      columns("g", DataTypes.StringType, "n", DataTypes.IntegerType, "id", DataTypes.LongType);
  private static final List<Column> OUTPUT = columns("g", DataTypes.StringType, "n",
      DataTypes.IntegerType, "id", DataTypes.LongType, "place", DataTypes.IntegerType);

  private static Fixture first(int limit) {
    return new Fixture("{op: 'first_rows', partition: ['g'], key: ['id'], state: 't', limit: "
            + limit + ", order: [{ref: 'n', ascending: false, nullsFirst: false}]}",
        List.of(INPUT), OUTPUT, null);
  }

  @Test
  @Reaches(Mark.FIRST_ROWS_STAY)
  void theOnlyRowIsReplacedByABetterOneInPlace() {
    try (Fixture f = first(1)) {
      assertEquals(List.of(insert("a", 3, 2L, 1)),
          f.barrier(List.of(insert("a", 1, 1L), insert("a", 3, 2L), insert("a", 2, 3L))));
      assertEquals(List.of(delete("a", 3, 2L, 1), insert("a", 4, 4L, 1)),
          f.barrier(List.of(insert("a", 4, 4L))));
      assertEquals(List.of(), f.barrier(List.of(insert("a", 4, 5L))));
      assertEquals(0, f.counters.stateWrites);
    }
  }

  @Test
  void aRowThatComesFirstMovesTheOthersAndDropsTheLast() {
    try (Fixture f = first(2)) {
      f.barrier(List.of(insert("a", 5, 1L), insert("a", 3, 2L)));
      assertEquals(List.of(delete("a", 5, 1L, 1), insert("a", 5, 1L, 2), delete("a", 3, 2L, 2),
                       insert("a", 9, 3L, 1)),
          f.barrier(List.of(insert("a", 9, 3L))));
    }
  }

  @Test
  void aPartitionIsReadOnceHoweverManyRowsCome() {
    try (Fixture f = first(3)) {
      List<Change> many = new ArrayList<>();
      for (long id = 0; id < 500; id++) {
        many.add(insert("g" + id % 5, (int) id, id));
      }
      f.barrier(many);
      assertEquals(5, f.counters.stateReads);
      assertEquals(5, f.counters.stateWrites);
    }
  }

  @Test
  void aRowTakenBackIsRefused() {
    try (Fixture f = first(3)) {
      EngineException e =
          assertThrows(EngineException.class, () -> f.barrier(List.of(delete("a", 5, 1L))));
      assertTrue(e.getMessage().contains("append-only"), e.getMessage());
    }
  }

  @Test
  void partitionsThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomRowsKeepTheFirstOfEachPartition();
      aRowThatComesFirstMovesTheOthersAndDropsTheLast();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  void randomRowsKeepTheFirstOfEachPartition() {
    Random random = new Random(Fixture.seed("FirstRowsOperatorTest"));
    for (int limit : new int[] {1, 2, 7}) {
      Map<String, List<List<Object>>> all = new HashMap<>();
      TreeMap<List<Object>, List<Object>> table = Fixture.table();
      int[] key = limit == 1 ? new int[] {0} : new int[] {2};
      try (Fixture f = first(limit)) {
        long id = 0;
        for (int barrier = 0; barrier < 20; barrier++) {
          List<Change> changes = new ArrayList<>();
          for (int i = random.nextInt(30); i >= 0; i--) {
            String group = random.nextInt(8) == 0 ? null : "g" + random.nextInt(4);
            Integer n = random.nextInt(9) == 0 ? null : random.nextInt(6);
            changes.add(insert(group, n, id++));
            all.computeIfAbsent(group, g -> new ArrayList<>())
                .add(changes.get(changes.size() - 1).row());
          }
          Fixture.apply(table, f.shuffled(random, changes), key);
          assertEquals(expected(all, limit, key[0]), table);
        }
      }
    }
  }

  private static Map<List<Object>, List<Object>> expected(
      Map<String, List<List<Object>>> all, int limit, int key) {
    TreeMap<List<Object>, List<Object>> first = Fixture.table();
    Comparator<List<Object>> order =
        Comparator
            .<List<Object>, Integer>comparing(
                r -> (Integer) r.get(1), Comparator.nullsFirst(Comparator.<Integer>naturalOrder()))
            .reversed()
            .thenComparing(r -> (Long) r.get(2));
    all.values().forEach(rows -> {
      rows.sort(order);
      for (int i = 0; i < Math.min(limit, rows.size()); i++) {
        List<Object> row = new ArrayList<>(rows.get(i));
        row.add(i + 1);
        List<Object> keyed = new ArrayList<>();
        keyed.add(row.get(key));
        first.put(keyed, row);
      }
    });
    return first;
  }
}
