package io.groundswell.spark.views.capture.describe;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.SubtractTimestamps;
import org.apache.spark.sql.catalyst.expressions.TimestampAddInterval;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.CalendarInterval;

/**
 * How far apart in time the rows of a join may be: {@code low <= right - left <= high}, in
 * microseconds, read from the comparisons of its condition. It may be wider than what they say,
 * never narrower: a day is not always 24 hours, {@code <} is taken for {@code <=}.
 */
record TimeDistance(Attribute left, Attribute right, long low, long high) {
  static final long DAY = 86_400_000_000L;

  /** A column and what is added to it, more or less. */
  private record Moved(Attribute column, long by, long slack) {}

  private record Pair(Attribute left, Attribute right) {}

  /** The first pair of timestamps that the condition keeps together on both sides; or null. */
  static TimeDistance of(Join join, Expression residual) {
    Map<Pair, long[]> found = new LinkedHashMap<>();
    List<Expression> parts = new ArrayList<>();
    split(residual, parts);
    parts.forEach(part -> read(join, part, found));
    for (Map.Entry<Pair, long[]> entry : found.entrySet()) {
      long low = entry.getValue()[0];
      long high = entry.getValue()[1];
      if (low != Long.MIN_VALUE && high != Long.MAX_VALUE && low <= high) {
        return new TimeDistance(entry.getKey().left(), entry.getKey().right(), low, high);
      }
    }
    return null;
  }

  private static void split(Expression part, List<Expression> parts) {
    if (part instanceof And both) {
      split(both.left(), parts);
      split(both.right(), parts);
    } else if (part != null) {
      parts.add(part);
    }
  }

  private static void read(Join join, Expression part, Map<Pair, long[]> found) {
    if (!(part instanceof BinaryComparison)) {
      return;
    }
    Expression one = Scala.list(part.children()).get(0);
    Expression two = Scala.list(part.children()).get(1);
    if (part instanceof GreaterThan || part instanceof GreaterThanOrEqual) {
      atMost(join, two, one, found);
    } else if (part instanceof LessThan || part instanceof LessThanOrEqual) {
      atMost(join, one, two, found);
    }
  }

  /** Notes what {@code small <= large} says. */
  private static void atMost(
      Join join, Expression small, Expression large, Map<Pair, long[]> found) {
    if (small instanceof SubtractTimestamps minus && micros(large) != null) {
      note(join, moved(minus.left()), moved(minus.right()), micros(large), DAY, found);
    } else if (large instanceof SubtractTimestamps minus && micros(small) != null) {
      note(join, moved(minus.right()), moved(minus.left()), -micros(small), DAY, found);
    } else {
      note(join, moved(small), moved(large), 0, 0, found);
    }
  }

  /** {@code small - large <= most}, of a column each. */
  private static void note(
      Join join, Moved small, Moved large, long most, long more, Map<Pair, long[]> found) {
    if (small == null || large == null) {
      return;
    }
    long bound = most + large.by() - small.by();
    long slack = more + small.slack() + large.slack();
    boolean forward = isOf(join.left().outputSet(), small) && isOf(join.right().outputSet(), large);
    boolean backward =
        isOf(join.right().outputSet(), small) && isOf(join.left().outputSet(), large);
    if (forward) { // left - right <= bound
      long[] range = range(found, small, large);
      range[0] = Math.max(range[0], -bound - slack);
    } else if (backward) { // right - left <= bound
      long[] range = range(found, large, small);
      range[1] = Math.min(range[1], bound + slack);
    }
  }

  private static long[] range(Map<Pair, long[]> found, Moved left, Moved right) {
    return found.computeIfAbsent(new Pair(left.column(), right.column()),
        pair -> new long[] {Long.MIN_VALUE, Long.MAX_VALUE});
  }

  private static boolean isOf(
      org.apache.spark.sql.catalyst.expressions.AttributeSet columns, Moved moved) {
    return columns.contains(moved.column());
  }

  private static Moved moved(Expression value) {
    if (value instanceof Attribute column) {
      boolean isTime = column.dataType() instanceof TimestampType
          || column.dataType() instanceof TimestampNTZType;
      return isTime ? new Moved(column, 0, 0) : null;
    }
    if (value instanceof TimestampAddInterval add && add.interval().foldable()) {
      Moved below = moved(add.start());
      Long by = micros(add.interval());
      if (below != null && by != null) {
        long slack = hasDays(add.interval()) ? DAY : 0;
        return new Moved(below.column(), below.by() + by, below.slack() + slack);
      }
    }
    return null;
  }

  /** Whether days of the calendar are counted, be it that hours are taken off again. */
  static boolean hasDays(Expression interval) {
    return interval.eval(null) instanceof CalendarInterval calendar
        ? calendar.days != 0
        : Math.abs(micros(interval)) >= DAY;
  }

  /** A constant interval; null if it is none, or has no fixed length. */
  static Long micros(Expression interval) {
    Object value = interval.foldable() ? interval.eval(null) : null;
    if (value instanceof CalendarInterval calendar) {
      return calendar.months != 0 ? null
                                  : Long.valueOf(calendar.days * DAY + calendar.microseconds);
    }
    boolean isInterval =
        interval.dataType() instanceof org.apache.spark.sql.types.DayTimeIntervalType;
    return isInterval && value instanceof Long micros ? micros : null;
  }
}
