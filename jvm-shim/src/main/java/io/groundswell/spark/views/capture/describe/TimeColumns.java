package io.groundswell.spark.views.capture.describe;

import io.groundswell.spark.shims.Scala;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.PreciseTimestampConversion;
import org.apache.spark.sql.catalyst.expressions.Remainder;
import org.apache.spark.sql.catalyst.expressions.SessionWindow$;
import org.apache.spark.sql.catalyst.expressions.TaggingExpression;
import org.apache.spark.sql.catalyst.expressions.TimeWindow$;
import org.apache.spark.sql.catalyst.expressions.TruncDate;
import org.apache.spark.sql.catalyst.expressions.TruncTimestamp;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.LongType;

/** What expressions make of the time of events, for the planner to follow watermarks by. */
final class TimeColumns {
  private static final int END = 1;

  private static final scala.Function1<Expression, Object> IS_WINDOW_EDGE =
      Scala.function(edge -> isEdge(edge, time -> time instanceof Attribute));

  private TimeColumns() {}

  /** {@code time} or {@code session} if the column is such a window, else null. */
  static String window(Attribute column) {
    return column.metadata().contains(TimeWindow$.MODULE$.marker())   ? "time"
        : column.metadata().contains(SessionWindow$.MODULE$.marker()) ? "session"
                                                                      : null;
  }

  /**
   * {@code window}: what {@code window(...)} made, also where the optimiser forgot to say so;
   * {@code session}: as {@code session_window(...)}, if it is one; {@code start}, {@code end}: that
   * of a window; {@code monotone}: a later time never gives a smaller value;
   * null: nothing is known.
   */
  static String time(Expression value) {
    if (value instanceof GetStructField field && field.child() instanceof Attribute column) {
      return !"time".equals(window(column)) ? null : field.ordinal() == END ? "end" : "start";
    }
    if (value instanceof CreateNamedStruct struct) {
      return struct.valExprs().size() != 2                      ? null
          : struct.valExprs().forall(IS_WINDOW_EDGE)            ? "window"
          : bare(struct.valExprs().head()) instanceof Attribute ? "session"
                                                                : null;
    }
    return !(value instanceof Attribute) && isMonotone(value) ? "monotone" : null;
  }

  /** What makes the start of a window; null if the expression makes none. */
  static Expression start(Expression value) {
    return "window".equals(time(value)) ? ((CreateNamedStruct) value).valExprs().head() : null;
  }

  /** Only the analyser makes such conversions, and only tumbling and sliding windows divide. */
  private static boolean isEdge(Expression edge, Predicate<Expression> isTime) {
    return edge.exists(Scala.function(part -> part instanceof PreciseTimestampConversion))
        && edge.exists(Scala.function(part -> part instanceof Remainder))
        && !edge.exists(Scala.function(part
            -> part instanceof PreciseTimestampConversion of && of.toType() instanceof LongType
                && !isTime.test(bare(of.child()))));
  }

  /** Without what leaves the value as it is. */
  private static Expression bare(Expression value) {
    return value instanceof PreciseTimestampConversion || value instanceof TaggingExpression
        ? bare(value.children().head())
        : value;
  }

  private static boolean isMonotone(Expression value) {
    if (value instanceof TaggingExpression) {
      return isMonotone(value.children().head());
    } else if (value instanceof PreciseTimestampConversion) {
      return isEdge(value, TimeColumns::isMonotone);
    } else if (value instanceof TruncTimestamp trunc) {
      return trunc.format().foldable() && isMonotone(trunc.timestamp());
    } else if (value instanceof TruncDate trunc) {
      return trunc.format().foldable() && isMonotone(trunc.date());
    } else if (value instanceof Cast cast) {
      return cast.dataType() instanceof DateType && isMonotone(cast.child());
    }
    return value instanceof Attribute;
  }
}
