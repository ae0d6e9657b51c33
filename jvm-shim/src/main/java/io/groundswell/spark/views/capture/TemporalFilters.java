package io.groundswell.spark.views.capture;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.TimestampAddInterval;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.CalendarInterval;

/**
 * Temporal filters: {@code column > now() - interval}. The optimiser would put the time of the
 * capture in the place of the clock; so a clock in such a comparison, with what is added to it, is
 * a {@link ClockMark} before. An interval of days is one of 24 hours each.
 */
public final class TemporalFilters {
  /** Functions that give the time as a timestamp. */
  private static final Set<String> CLOCKS =
      Set.of("CurrentTimestamp", "Now", "CurrentBatchTimestamp");

  /** Four centuries: what is added is not more, so that no time overflows. */
  private static final long REACH = 400L * 366 * 86_400_000_000L;

  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private TemporalFilters() {}

  /**
   * A condition that becomes false as time passes.
   *
   * @param time what is compared
   * @param offset microseconds from the clock to where {@code time} is too old
   * @param inclusive whether it holds there still
   */
  record Temporal(Expression time, long offset, boolean inclusive) {}

  /** Puts the mark in the place of every clock in a temporal filter of an analysed plan. */
  public static LogicalPlan mark(LogicalPlan analyzed) {
    return analyzed.transformDownWithSubqueries(Scala.rule(node
        -> node instanceof Filter filter ? filter.copy(marked(filter.condition()), filter.child())
                                         : node));
  }

  private static Expression marked(Expression condition) {
    if (condition instanceof And both) {
      return new And(marked(both.left()), marked(both.right()));
    }
    if (!(condition instanceof BinaryComparison)) {
      return condition;
    }
    Expression left = Scala.list(condition.children()).get(0);
    Expression right = Scala.list(condition.children()).get(1);
    if (expires(condition, true) && isTime(left) && offset(right) != null) {
      return condition.withNewChildren(Scala.seq(List.of(left, new ClockMark(offset(right)))));
    }
    if (expires(condition, false) && isTime(right) && offset(left) != null) {
      return condition.withNewChildren(Scala.seq(List.of(new ClockMark(offset(left)), right)));
    }
    return condition;
  }

  private static boolean expires(Expression comparison, boolean timeFirst) {
    return timeFirst ? comparison instanceof GreaterThan || comparison instanceof GreaterThanOrEqual
                     : comparison instanceof LessThan || comparison instanceof LessThanOrEqual;
  }

  private static boolean isTime(Expression value) {
    return value.dataType() instanceof TimestampType && !value.references().isEmpty()
        && !value.exists(Scala.function(part -> CLOCKS.contains(part.getClass().getSimpleName())));
  }

  /** What is added to the clock, in microseconds; null if it is not a clock plus an interval. */
  private static Long offset(Expression value) {
    if (CLOCKS.contains(value.getClass().getSimpleName())) {
      return value.dataType() instanceof TimestampType ? 0L : null;
    } else if (value instanceof Cast cast) {
      return cast.dataType() instanceof TimestampType ? offset(cast.child()) : null;
    } else if (value instanceof TimestampAddInterval add && add.interval().foldable()) {
      Long before = offset(add.start());
      Long added = micros(add.interval().eval(null));
      return before == null || added == null || Math.abs(before + added) > REACH ? null
                                                                                 : before + added;
    } else if (value instanceof RuntimeReplaceable replaceable) {
      return offset(replaceable.replacement());
    }
    return null;
  }

  private static Long micros(Object interval) {
    if (interval instanceof CalendarInterval calendar) {
      return calendar.months != 0
          ? null
          : Long.valueOf(calendar.days * MICROS_PER_DAY + calendar.microseconds);
    }
    return interval instanceof Long micros ? micros : null;
  }

  /** Whether a clock was left where no temporal filter is. */
  static boolean isIn(Expression expression) {
    return expression.exists(Scala.function(part -> part instanceof ClockMark));
  }

  /** As for expressions. */
  static boolean isIn(LogicalPlan plan) {
    return plan.exists(Scala.function(
        node -> Scala.list(node.expressions()).stream().anyMatch(TemporalFilters::isIn)));
  }

  /**
   * Takes a condition apart.
   *
   * @param found receives the temporal filters
   * @return the rest, or null if there is none
   */
  static Expression split(Expression condition, List<Temporal> found) {
    List<Expression> rest = new ArrayList<>();
    split(condition, found, rest);
    return rest.stream().reduce(And::new).orElse(null);
  }

  private static void split(Expression part, List<Temporal> found, List<Expression> rest) {
    if (part instanceof And both) {
      split(both.left(), found, rest);
      split(both.right(), found, rest);
      return;
    }
    if (part instanceof BinaryComparison) {
      List<Expression> sides = Scala.list(part.children());
      boolean inclusive = part instanceof GreaterThanOrEqual || part instanceof LessThanOrEqual;
      for (int side = 0; side < 2; side++) {
        if (sides.get(1 - side) instanceof ClockMark clock && !isIn(sides.get(side))
            && expires(part, side == 0)) {
          found.add(new Temporal(sides.get(side), clock.offset(), inclusive));
          return;
        }
      }
    }
    rest.add(part);
  }
}
