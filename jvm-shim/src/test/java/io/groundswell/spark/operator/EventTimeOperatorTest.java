package io.groundswell.spark.operator;

import static io.groundswell.spark.operator.Fixture.columns;
import static io.groundswell.spark.operator.Fixture.delete;
import static io.groundswell.spark.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.operator.Fixture.Change;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** What operators give, and keep, as time passes. */
class EventTimeOperatorTest {
  private static final List<Column> ROW =
      columns("t", DataTypes.TimestampType, "k", DataTypes.StringType, "v", DataTypes.LongType);
  private static final String WATERMARK =
      "watermark: {column: 't', kind: 'KIND', sources: ['a', 'b'], through: []}";

  private static Fixture windowClose(String kind) {
    String spec = "{op: 'window_close', state: 's', key: ['t', 'k'], "
        + WATERMARK.replace("KIND", kind) + "}";
    return new Fixture(spec, List.of(ROW), ROW, null);
  }

  private static boolean passes(Fixture fixture, long before, long now) {
    return ((EventTimeOperator) fixture.operator)
        .prepare(new Watermarks(Map.of("a", before, "b", 99L), Map.of("a", now, "b", 99L), null));
  }

  @Test
  void aRowLeavesOnceWhenItsTimeIsBelowTheSmallestWatermark() {
    try (Fixture close = windowClose("time")) {
      assertFalse(((EventTimeOperator) close.operator)
              .prepare(new Watermarks(Map.of(), Map.of("a", 5L), null)));
      assertEquals(List.of(),
          close.barrier(
              List.of(insert(20L, "x", 1L), insert(10L, "y", 2L), insert(null, "z", 3L))));
      assertTrue(passes(close, 5, 20));
      assertEquals(List.of(insert(10L, "y", 2L)),
          close.barrier(List.of(delete(20L, "x", 1L), insert(20L, "x", 7L))));
      assertFalse(passes(close, 20, 20));
      assertEquals(List.of(), close.barrier(List.of()));
      passes(close, 20, 21);
      assertEquals(List.of(insert(20L, "x", 7L)), close.barrier(List.of()));
      passes(close, 21, 90);
      assertEquals(List.of(), close.barrier(List.of()));
      assertEquals(
          1, close.counters.stateReads); // the one without a time: what has left is not read
    }
  }

  @Test
  void aWindowThatEndsAtTheWatermarkIsPassed() {
    try (Fixture close = windowClose("end")) {
      passes(close, 0, 20);
      assertEquals(List.of(insert(20L, "x", 1L)),
          close.barrier(List.of(insert(20L, "x", 1L), insert(21L, "y", 2L))));
    }
  }

  @Test
  void groupsBehindTheWatermarkAreGoneWithoutAChange() {
    String spec =
        "{op: 'aggregate', state: 's', grouping: ['t', 'k'], appendOnly: true, calls: [], "
        + WATERMARK.replace("KIND", "time") + "}";
    List<Column> groups = columns("t", DataTypes.TimestampType, "k", DataTypes.StringType);
    try (Fixture distinct = new Fixture(spec, List.of(ROW), groups, null)) {
      assertEquals(List.of(insert(10L, "x")), distinct.barrier(List.of(insert(10L, "x", 1L))));
      assertEquals(List.of(), distinct.barrier(List.of(insert(10L, "x", 2L))));
      passes(distinct, 0, 11);
      List<Change> given = distinct.barrier(List.of(insert(30L, "x", 1L)));
      assertEquals(List.of(insert(30L, "x")), given);
    }
  }

  @Test
  void rowsThatAreTooOldAreTakenBackOldestFirst() {
    String spec = "{op: 'temporal_filter', state: 's', key: ['k'], time: 't', offset: -60, "
        + "inclusive: false, limit: 2}";
    try (Fixture filter = new Fixture(spec, List.of(ROW), ROW, null)) {
      clock(filter, 100);
      assertEquals(List.of(insert(43L, "c", 0L), insert(41L, "a", 0L), insert(42L, "b", 0L)),
          filter.barrier(List.of(insert(43L, "c", 0L), insert(41L, "a", 0L), insert(42L, "b", 0L),
              insert(40L, "old", 0L), insert(null, "none", 0L))));
      clock(filter, 103);
      assertEquals(List.of(delete(41L, "a", 0L), delete(42L, "b", 0L)), filter.barrier(List.of()));
      assertEquals(List.of(delete(43L, "c", 0L), insert(99L, "c", 1L)),
          filter.barrier(
              List.of(delete(43L, "c", 0L), insert(99L, "c", 1L), delete(41L, "a", 0L))));
      assertEquals(List.of(), filter.barrier(List.of(delete(40L, "old", 0L))));
    }
  }

  private static void clock(Fixture filter, long micros) {
    ((EventTimeOperator) filter.operator).prepare(new Watermarks(Map.of(), Map.of(), micros));
  }
}
