package io.groundswell.spark.views.operator.aggregate;

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
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** Groups of keys: the latest upsert and delete; a key is shown if no delete came after. */
class UnreadGroupsTest {
  private static final List<Column> INPUT =
      columns("k", DataTypes.StringType, "up", DataTypes.LongType, "down", DataTypes.LongType);
  private static final Expression UP = new BoundReference(1, DataTypes.LongType, true);
  private static final Expression DOWN = new BoundReference(2, DataTypes.LongType, true);
  private static final Expression SHOWN = new Or(new IsNull(DOWN), new GreaterThan(UP, DOWN));

  private static Fixture groups(String... grouping) {
    return AggregateFixture.of(new TestState(), INPUT,
        "appendOnly: true, results: ['k', 'u', 'd'], unread: {shown: ['c'], "
            + "watermark: {column: 'e1', kind: 'time', sources: ['s']}}",
        SHOWN, List.of(grouping), "max(up)", "max(down)");
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
  void aGroupThatNoOneReadsStaysUntilTheWatermarkHasPassedIt() {
    try (Fixture f = groups("k")) {
      assertEquals(List.of(insert("a", 5L, 7L)),
          f.barrier(List.of(insert("a", 5L, null), insert("a", null, 7L))));
      assertTrue(passes(f, 0, 7));
      f.barrier(List.of());
      assertEquals(1, rows(f, "groups"));
      assertTrue(passes(f, 7, 8));
      assertEquals(List.of(), f.barrier(List.of()));
      assertEquals(0, rows(f, "groups"));
      assertEquals(0, rows(f, "live"));
      assertEquals(List.of(insert("a", 8L, null)), f.barrier(List.of(insert("a", 8L, null))));
    }
  }

  @Test
  @Reaches(Mark.UNREAD_GROUP_CAME_BACK)
  void aGroupThatIsReadStaysHoweverOldTheDeleteBeforeIt() {
    try (Fixture f = groups("k")) {
      f.barrier(List.of(insert("a", null, 5L)));
      f.barrier(List.of(insert("a", 6L, null)));
      passes(f, 0, 100);
      f.barrier(List.of());
      assertEquals(1, rows(f, "groups"));
      assertEquals(0, rows(f, "live"));
      assertEquals(List.of(delete("a", 6L, 5L), insert("a", 100L, 5L)),
          f.barrier(List.of(insert("a", 100L, null))));
    }
  }

  @Test
  void onlyGroupsCanEnd() {
    EngineException e = assertThrows(EngineException.class, () -> groups());
    assertTrue(e.getMessage().contains("needs groups"), e.getMessage());
  }

  @Test
  void randomEventsShowTheSameKeysAndTheStateIsBoundByTheWatermark() {
    Random random = new Random(Fixture.seed("UnreadGroupsTest"));
    Map<String, long[]> newest = new HashMap<>();
    Map<List<Object>, List<Object>> table = Fixture.table();
    try (Fixture f = groups("k")) {
      long before = 0;
      for (long now = 0; now < 400; now += random.nextInt(15)) {
        passes(f, before, now);
        List<Change> changes = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
          long at = now + random.nextInt(40); // late rows are dropped by the source
          boolean gone = random.nextInt(3) == 0;
          String key = "k" + random.nextInt(12);
          changes.add(new Change(1, Arrays.asList(key, gone ? null : at, gone ? at : null)));
          long[] times = newest.computeIfAbsent(key, k -> new long[] {-1, -1});
          times[gone ? 1 : 0] = Math.max(times[gone ? 1 : 0], at);
        }
        List<Change> read = new ArrayList<>();
        for (Change change : f.shuffled(random, changes)) {
          if (isShown(change.row())) {
            read.add(change);
          }
        }
        Fixture.apply(table, read, 0);
        long bound = now;
        Map<List<Object>, List<Object>> expected = Fixture.table();
        newest.forEach((key, times) -> {
          if (times[0] > times[1]) {
            expected.put(List.of(key), List.of(key, times[0]));
          }
        });
        Map<List<Object>, List<Object>> shown = Fixture.table();
        table.forEach((key, row) -> shown.put(key, row.subList(0, 2)));
        assertEquals(expected, shown);
        long kept = newest.values()
                        .stream()
                        .filter(times -> times[0] > times[1] || times[1] >= bound)
                        .count();
        assertEquals(kept, rows(f, "groups"));
        before = now;
      }
    }
  }

  private static boolean isShown(List<?> row) {
    Long up = (Long) row.get(1);
    Long down = (Long) row.get(2);
    return down == null || up != null && up > down;
  }
}
