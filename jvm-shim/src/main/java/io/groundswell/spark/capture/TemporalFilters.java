package io.groundswell.spark.capture;

import io.groundswell.spark.compat.Scala;
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
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.TimestampAddInterval;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.CalendarInterval;

/**
 * Temporal filters: {@code column > now() - interval}. The optimiser would put the time of the
 * capture in the place of the clock; so a clock in such a comparison, with what is added to it, is
 * a literal of our own before: a time so far off that no one writes it, from which what was added
 * is told again afterwards. An interval of days is one of 24 hours each.
 */
public final class TemporalFilters {
  /** Functions that give the time as a timestamp. */
  private static final Set<String> CLOCKS =
      Set.of("CurrentTimestamp", "Now", "CurrentBatchTimestamp");

  /** Microseconds, in the year 287,000 or so. */
  private static final long FAR = 9_000_000_000_000_000_000L;

  /** Further than four centuries from the clock nothing is one. */
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

  /** Puts the literal in the place of every clock in a temporal filter of an analysed plan. */
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
      return condition.withNewChildren(Scala.seq(List.of(left, literal(offset(right)))));
    }
    if (expires(condition, false) && isTime(right) && offset(left) != null) {
      return condition.withNewChildren(Scala.seq(List.of(literal(offset(left)), right)));
    }
    return condition;
  }

  private static boolean expires(Expression comparison, boolean timeFirst) {
    return timeFirst ? comparison instanceof GreaterThan || comparison instanceof GreaterThanOrEqual
                     : comparison instanceof LessThan || comparison instanceof LessThanOrEqual;
  }

  /** A date would be compared as one, of which the literal is none. */
  private static boolean isTime(Expression value) {
    return value.dataType() instanceof TimestampType && !value.references().isEmpty()
        && !value.exists(Scala.function(part
            -> CLOCKS.contains(part.getClass().getSimpleName())
                || (part instanceof Cast cast && cast.child().dataType() instanceof DateType)));
  }

  private static Literal literal(long offset) {
    return new Literal(FAR + offset, org.apache.spark.sql.types.DataTypes.TimestampType);
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
    return expression.exists(Scala.function(TemporalFilters::isClock));
  }

  private static boolean isClock(Expression part) {
    return part instanceof Literal literal && literal.dataType() instanceof TimestampType
        && literal.value() instanceof Long value && Math.abs(value - FAR) <= REACH;
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
        Expression clock = sides.get(1 - side);
        if (isClock(clock) && !isIn(sides.get(side)) && expires(part, side == 0)) {
          long offset = (Long) ((Literal) clock).value() - FAR;
          found.add(new Temporal(sides.get(side), offset, inclusive));
          return;
        }
      }
    }
    rest.add(part);
  }
}
