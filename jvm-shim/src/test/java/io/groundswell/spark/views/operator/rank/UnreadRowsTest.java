package io.groundswell.spark.views.operator.rank;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Snapshot;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class UnreadRowsTest {
  private static final List<Column> INPUT = columns("k", DataTypes.StringType, "at",
      DataTypes.LongType, "shown", DataTypes.BooleanType, "id", DataTypes.LongType);
  private static final List<Column> OUTPUT =
      columns("k", DataTypes.StringType, "at", DataTypes.LongType, "shown", DataTypes.BooleanType,
          "id", DataTypes.LongType, "place", DataTypes.IntegerType);

  /** Knows one condition: the column {@code shown}. */
  private static final CallResolver SHOWN = new CallResolver() {
    @Override
    public AggregateExpression resolve(String id) {
      throw new IllegalArgumentException(id);
    }

    @Override
    public Expression condition(String id, List<Column> columns) {
      assertEquals("c", id);
      return new BoundReference(2, DataTypes.BooleanType, true);
    }
  };

  private static Fixture newest(int limit) {
    return new Fixture("{op: 'first_rows', partition: ['k'], key: ['id'], state: 't', limit: "
            + limit + ", order: [{ref: 'at', ascending: false, nullsFirst: true}], "
            + "unread: {shown: ['c'], watermark: {column: 'at', kind: 'time', sources: ['s']}}}",
        List.of(INPUT), OUTPUT, SHOWN);
  }

  private static boolean passes(Fixture fixture, long before, long now) {
    return ((EventTimeOperator) fixture.operator)
        .prepare(new Watermarks(Map.of("s", before), Map.of("s", now), null));
  }

  private static int rows(Fixture fixture, String table) {
    try (Snapshot snapshot = fixture.snapshot()) {
      int count = 0;
      try (RowCursor cursor = snapshot.scan(snapshot.table(table))) {
        while (cursor.next()) {
          count++;
        }
      }
      return count;
    }
  }

  @Test
  void aRowThatNoOneReadsKeepsOlderOnesOutUntilTheWatermarkHasPassedIt() {
    try (Fixture f = newest(1)) {
      f.barrier(List.of(insert("a", 5L, true, 1L), insert("a", 7L, false, 2L)));
      assertEquals(List.of(), f.barrier(List.of(insert("a", 6L, true, 3L))));
      assertTrue(passes(f, 0, 7));
      f.barrier(List.of());
      assertEquals(1, rows(f, "first"));
      assertTrue(passes(f, 7, 8));
      assertEquals(List.of(), f.barrier(List.of()));
      assertEquals(0, rows(f, "first"));
      assertEquals(0, rows(f, "live"));
      assertEquals(
          List.of(insert("a", 8L, true, 4L, 1)), f.barrier(List.of(insert("a", 8L, true, 4L))));
    }
  }

  @Test
  @Reaches(Mark.UNREAD_ROW_WAS_REPLACED)
  void aRowThatIsReadStaysHoweverOldTheDeleteBeforeIt() {
    try (Fixture f = newest(1)) {
      f.barrier(List.of(insert("a", 5L, false, 1L)));
      f.barrier(List.of(insert("a", 6L, true, 2L)));
      passes(f, 0, 100);
      f.barrier(List.of());
      assertEquals(1, rows(f, "first"));
      assertEquals(0, rows(f, "live"));
      assertEquals(List.of(delete("a", 6L, true, 2L, 1), insert("a", 100L, null, 3L, 1)),
          f.barrier(List.of(insert("a", 100L, null, 3L))));
    }
  }

  @Test
  void onlyTheNewestRowCanEnd() {
    EngineException e = assertThrows(EngineException.class, () -> newest(2));
    assertTrue(e.getMessage().contains("needs a limit of 1"), e.getMessage());
  }

  @Test
  void randomEventsGiveTheSameRowsAndTheStateIsBoundByTheWatermark() {
    Random random = new Random(Fixture.seed("UnreadRowsTest"));
    Map<String, List<Object>> newest = new HashMap<>();
    Map<List<Object>, List<Object>> table = Fixture.table();
    try (Fixture f = newest(1)) {
      long id = 0;
      long before = 0;
      for (long now = 0; now < 400; now += random.nextInt(15)) {
        passes(f, before, now);
        List<Change> changes = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
          long at = now + random.nextInt(40); // late rows are dropped by the source
          List<Object> row = List.of("k" + random.nextInt(12), at, random.nextInt(3) > 0, id++);
          changes.add(insert(row.toArray()));
          newest.merge(
              (String) row.get(0), row, (a, b) -> (Long) b.get(1) > (Long) a.get(1) ? b : a);
        }
        List<Change> read = new ArrayList<>();
        for (Change change : f.shuffled(random, changes)) {
          if (Boolean.TRUE.equals(change.row().get(2))) {
            read.add(change);
          }
        }
        Fixture.apply(table, read, 0);
        long bound = now;
        Map<List<Object>, List<Object>> expected = Fixture.table();
        newest.values().stream().filter(row -> (Boolean) row.get(2)).forEach(row -> {
          List<Object> numbered = new ArrayList<>(row);
          numbered.add(1);
          expected.put(List.of(row.get(0)), numbered);
        });
        assertEquals(expected, table);
        long kept = newest.values()
                        .stream()
                        .filter(row -> (Boolean) row.get(2) || (Long) row.get(1) >= bound)
                        .count();
        assertEquals(kept, rows(f, "first"));
        before = now;
      }
    }
  }
}
