package io.groundswell.spark.views.capture.stream;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * What {@code withWatermark} says of a source: which column is the time of an event, and how late
 * an event may come. The marked plan is the source: a stream under projections and filters.
 *
 * @param column name of a timestamp column
 * @param delayMillis how much older than the newest event of earlier barriers a row may be
 */
public record EventTime(String column, long delayMillis) {
  /** Whether this is a mark that can be taken as one of a source. */
  public static boolean marksSource(LogicalPlan plan) {
    return plan instanceof EventTimeWatermark watermark && isSource(watermark.child())
        && isTimestamp(watermark.eventTime());
  }

  /** What a mark says. */
  public static EventTime of(EventTimeWatermark watermark) {
    Attribute spelt = shown(watermark.child(), watermark); // as the stream does
    return new EventTime((spelt == null ? watermark.eventTime() : spelt).name(),
        EventTimeWatermark.getDelayMs(watermark.delay()));
  }

  /**
   * The mark in the plan of a streaming frame, or null if it has none.
   *
   * @throws EngineException {@code INVALID_ARGUMENT} if there are several, or one that the frame
   *     does not show
   */
  public static EventTime within(LogicalPlan streaming) {
    List<EventTimeWatermark> marks = new ArrayList<>();
    collect(streaming, marks);
    if (marks.isEmpty()) {
      return null;
    }
    EventTimeWatermark mark = marks.get(0);
    Attribute shown = shown(streaming, mark);
    if (marks.size() > 1 || shown == null || !isTimestamp(shown)) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "withWatermark(" + mark.eventTime().name()
              + "): a source has one watermark, on a timestamp column that it keeps; its columns "
              + "are " + Scala.list(streaming.output()));
    }
    return new EventTime(shown.name(), EventTimeWatermark.getDelayMs(mark.delay()));
  }

  /** The column of a plan that a mark is on; null if it has it not. */
  private static Attribute shown(LogicalPlan plan, EventTimeWatermark mark) {
    return Scala.list(plan.output())
        .stream()
        .filter(column -> column.exprId().equals(mark.eventTime().exprId()))
        .findFirst()
        .orElse(null);
  }

  /** The plan without marks: it is not Spark that follows them. */
  public static LogicalPlan unmarked(LogicalPlan streaming) {
    return streaming.transformUp(Scala.rule(
        node -> node instanceof EventTimeWatermark watermark ? watermark.child() : node));
  }

  private static void collect(LogicalPlan plan, List<EventTimeWatermark> marks) {
    if (plan instanceof EventTimeWatermark mark) {
      marks.add(mark);
    }
    Scala.list(plan.children()).forEach(child -> collect(child, marks));
  }

  private static boolean isSource(LogicalPlan plan) {
    return StreamingLeaves.isLeaf(plan)
        || ((plan instanceof Project || plan instanceof Filter || plan instanceof SubqueryAlias)
            && isSource(plan.children().head()));
  }

  private static boolean isTimestamp(Attribute column) {
    return column.dataType() instanceof TimestampType
        || column.dataType() instanceof TimestampNTZType;
  }
}
