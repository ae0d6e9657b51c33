package io.groundswell.spark.views.operator;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
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
  void changesThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      aRowLeavesOnceWhenItsTimeIsBelowTheSmallestWatermark();
      groupsBehindTheWatermarkAreGoneWithoutAChange();
      aTemporalJoinRemembersWhatItGave();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  @Reaches(Mark.PENDING_ROW_MOVES)
  void aRowThatGoesOrMovesBeforeTheWatermarkLeavesAsItIs() {
    String spec =
        "{op: 'window_close', state: 's', key: ['k'], " + WATERMARK.replace("KIND", "time") + "}";
    try (Fixture close = new Fixture(spec, List.of(ROW), ROW, null)) {
      close.barrier(List.of(insert(20L, "x", 1L), insert(20L, "y", 2L)));
      close.barrier(List.of(delete(20L, "x", 1L), delete(20L, "y", 2L), insert(40L, "y", 2L)));
      passes(close, 0, 30);
      assertEquals(List.of(), close.barrier(List.of()));
      passes(close, 30, 50);
      assertEquals(List.of(insert(40L, "y", 2L)), close.barrier(List.of()));
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
  @Reaches(Mark.PASSED_ROWS_ARE_MANY)
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

  @Test
  @Reaches(Mark.EXPIRED_AND_CHANGED)
  void rowsExpireAfterTheirLastChange() {
    String spec = "{op: 'expire', state: 's', key: ['k'], life: 60}";
    try (Fixture expire = new Fixture(spec, List.of(ROW), ROW, null)) {
      clock(expire, 100);
      assertEquals(List.of(insert(1L, "a", 0L), insert(1L, "b", 0L)),
          expire.barrier(List.of(insert(1L, "a", 0L), insert(1L, "b", 0L))));
      clock(expire, 140);
      assertEquals(List.of(delete(1L, "a", 0L), insert(2L, "a", 1L)),
          expire.barrier(List.of(delete(1L, "a", 0L), insert(2L, "a", 1L))));
      clock(expire, 160);
      assertEquals(List.of(delete(1L, "b", 0L)), expire.barrier(List.of()));
      assertEquals(List.of(), expire.barrier(List.of(delete(1L, "b", 0L))));
      clock(expire, 203); // what expires and changes at once is one change; the piece goes on
      assertEquals(List.of(delete(2L, "a", 1L), insert(3L, "a", 2L)),
          expire.barrier(List.of(delete(2L, "a", 1L), insert(3L, "a", 2L))));
      assertEquals(List.of(delete(3L, "a", 2L)), expire.barrier(List.of(delete(3L, "a", 2L))));
      clock(expire, 500);
      assertEquals(List.of(), expire.barrier(List.of()));
    }
  }

  @Test
  @Reaches(Mark.ENTRY_OUTLIVES_ITS_ROW)
  void aRowThatHasExpiredIsNotTakenBackAgainWhileItsPieceLasts() {
    String spec = "{op: 'expire', state: 's', key: ['k'], life: 80}"; // pieces of ten
    try (Fixture expire = new Fixture(spec, List.of(ROW), ROW, null)) {
      clock(expire, 100);
      expire.barrier(List.of(insert(1L, "a", 0L)));
      clock(expire, 185);
      assertEquals(List.of(delete(1L, "a", 0L)), expire.barrier(List.of()));
      assertEquals(List.of(insert(1L, "a", 1L)),
          expire.barrier(List.of(delete(1L, "a", 0L), insert(1L, "a", 1L))));
    }
  }

  @Test
  void aTemporalJoinRemembersWhatItGave() {
    List<Column> table = columns("rk", DataTypes.StringType, "price", DataTypes.LongType);
    List<Column> both = columns("t", DataTypes.TimestampType, "k", DataTypes.StringType, "v",
        DataTypes.LongType, "rk", DataTypes.StringType, "price", DataTypes.LongType);
    String spec = "{op: 'temporal_join', joinType: 'left_outer', state: 's', leftKeys: ['k'], "
        + "rightKeys: ['rk'], leftKey: ['v'], rightKey: ['rk'], appendOnly: false}";
    try (Fixture join = new Fixture(spec, List.of(ROW, table), both, null)) {
      assertEquals(List.of(insert(1L, "a", 1L, "a", 5L), insert(1L, "b", 2L, null, null)),
          join.barrier(
              List.of(insert(1L, "a", 1L), insert(1L, "b", 2L)), List.of(insert("a", 5L))));
      assertEquals(List.of(),
          join.barrier(List.of(), List.of(delete("a", 5L), insert("a", 6L), insert("b", 7L))));
      assertEquals(List.of(delete(1L, "a", 1L, "a", 5L), insert(2L, "a", 1L, "a", 6L),
                       delete(1L, "b", 2L, null, null)),
          join.barrier(
              List.of(delete(1L, "a", 1L), insert(2L, "a", 1L), delete(1L, "b", 2L)), List.of()));
      assertEquals(List.of(delete(2L, "a", 1L, "a", 6L)),
          join.barrier(List.of(delete(2L, "a", 1L)), List.of(delete("a", 6L))));
    }
  }

  /** Rows whose times are at most ten apart. */
  private static Fixture intervalJoin() {
    List<Column> right = columns(
        "rt", DataTypes.TimestampType, "rk", DataTypes.StringType, "rv", DataTypes.LongType);
    List<Column> both = new ArrayList<>(ROW);
    both.addAll(right);
    String bound = "{column: 'COLUMN', kind: 'time', sources: ['a'], through: [], shift: SHIFT}";
    String spec = "{op: 'join', state: 's', leftKeys: ['k'], rightKeys: ['rk'], leftKey: ['v'], "
        + "rightKey: ['rv'], interval: {left: 't', right: 'rt', low: -10, high: 10, piece: 10, "
        + "leftBound: " + bound.replace("COLUMN", "t").replace("SHIFT", "-10")
        + ", rightBound: " + bound.replace("COLUMN", "rt").replace("SHIFT", "-10") + "}}";
    return new Fixture(spec, List.of(ROW, right), both, null);
  }

  @Test
  @Reaches(Mark.ROW_MOVES_IN_TIME)
  void aRowThatMovesInTimeIsFoundWhereItIsAlone() {
    try (Fixture join = intervalJoin()) {
      assertEquals(List.of(insert(5L, "x", 1L, 10L, "x", 7L)),
          join.barrier(
              List.of(insert(5L, "x", 1L)), List.of(insert(10L, "x", 7L), insert(30L, "x", 8L))));
      assertEquals(List.of(delete(5L, "x", 1L, 10L, "x", 7L), insert(25L, "x", 1L, 30L, "x", 8L)),
          join.barrier(List.of(delete(5L, "x", 1L), insert(25L, "x", 1L)), List.of()));
      assertEquals(List.of(insert(25L, "x", 1L, 24L, "x", 9L)),
          join.barrier(List.of(), List.of(insert(4L, "x", 6L), insert(24L, "x", 9L))));
    }
  }

  @Test
  void anIntervalJoinReadsTheTimeAroundARowAndForgetsWhatNothingCanMatch() {
    try (Fixture join = intervalJoin()) {
      join.barrier(List.of(insert(5L, "x", 1L), insert(25L, "x", 2L), insert(95L, "x", 3L),
                       insert(null, "x", 4L)),
          List.of());
      assertEquals(List.of(insert(25L, "x", 2L, 30L, "x", 7L)),
          join.barrier(List.of(), List.of(insert(30L, "x", 7L))));
      assertEquals(1, join.counters.stateReads);
      passes(join, 0, 40); // left rows from 30 on can match what comes
      assertEquals(List.of(), join.barrier(List.of(), List.of(insert(60L, "x", 8L))));
      assertEquals(List.of(), join.barrier(List.of(), List.of(insert(20L, "x", 6L))));
      assertEquals(List.of(insert(95L, "x", 3L, 95L, "x", 9L)),
          join.barrier(List.of(), List.of(insert(95L, "x", 9L))));
      assertEquals(List.of(delete(95L, "x", 3L, 95L, "x", 9L)),
          join.barrier(List.of(delete(95L, "x", 3L)), List.of()));
      assertEquals(List.of(insert(70L, "x", 3L, 60L, "x", 8L)),
          join.barrier(List.of(insert(70L, "x", 3L)), List.of()));
      assertEquals(List.of(), join.barrier(List.of(), List.of(insert(96L, "x", 10L))));
    }
  }

  private static void clock(Fixture filter, long micros) {
    ((EventTimeOperator) filter.operator).prepare(new Watermarks(Map.of(), Map.of(), micros));
  }

  @Test
  @Reaches(Mark.SESSION_CLOSES)
  void rowsOfASessionThatTheWatermarkHasPassedAreForgotten() {
    DataType span =
        new StructType().add("start", DataTypes.TimestampType).add("end", DataTypes.TimestampType);
    List<Column> rows = columns("k", DataTypes.StringType, "own", span);
    List<Column> merged = columns("k", DataTypes.StringType, "own", span, "s", span);
    String spec = "{op: 'window', state: 's', partition: ['k'], key: ['k', 'own'], "
        + "order: [{ref: 'own', ascending: true, nullsFirst: true}], functions: [], "
        + "session: {own: 'own', merged: 's'}, "
        + WATERMARK.replace("'t'", "'own'").replace("KIND", "session") + "}";
    try (Fixture sessions = new Fixture(spec, List.of(rows), merged, new CallResolver() {
      @Override
      public AggregateExpression resolve(String call) {
        throw new IllegalArgumentException(call);
      }

      @Override
      public Attribute attribute(String ref) {
        DataType type = ref.equals("k") ? DataTypes.StringType : span;
        return DataTypeUtils.toAttributes(new StructType().add(ref, type)).head();
      }
    })) {
      sessions.barrier(
          List.of(insert("x", span(0, 10)), insert("x", span(5, 15)), insert("x", span(40, 50))));
      passes(sessions, 0, 20);
      sessions.barrier(List.of());
      try (Snapshot left = sessions.snapshot()) {
        assertEquals(1, left.count(left.table("rows")), "the one that goes on");
      }
    }
  }

  private static InternalRow span(long start, long end) {
    return new GenericInternalRow(new Object[] {start, end});
  }
}
