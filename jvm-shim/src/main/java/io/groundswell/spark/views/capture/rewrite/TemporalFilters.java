package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.facts.Facts.VariesWith;
import io.groundswell.spark.views.facts.FactsTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionDef;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionRef;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.TimestampAddInterval;
import org.apache.spark.sql.catalyst.expressions.TruncTimestamp;
import org.apache.spark.sql.catalyst.expressions.With;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.CalendarInterval;

/**
 * Temporal filters: {@code column > now() - interval}, which end as time passes, and {@code column
 * < now() - interval}, which begin. The optimiser would put the time of the capture in the place of
 * the clock; so a clock in such a comparison, with what is added to it, is a {@link ClockMark}
 * before. An interval of days is one of 24 hours each.
 */
public final class TemporalFilters {
  /** Functions that ask the clock. */
  private static final scala.Function1<Expression, Object> IS_CLOCK =
      Scala.function(part -> FactsTable.of(part).variesWith() == VariesWith.CLOCK);

  /** Four centuries: what is added is not more, so that no time overflows. */
  private static final long REACH = 400L * 366 * 86_400_000_000L;

  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private TemporalFilters() {}

  /**
   * A condition that becomes false as time passes, or true.
   *
   * @param time what is compared
   * @param made what of {@code clock} it is compared with, and {@code offset}; null: the clock
   * @param offset microseconds from there
   * @param inclusive whether it holds where they are equal
   * @param begins whether it becomes true
   */
  public record
      Temporal(Expression time, Expression made, long offset, boolean inclusive, boolean begins) {}

  /** What is made of the clock, in the place of which {@link ClockMark#CLOCK} stands. */
  private record Moment(Expression made, long offset) {
    static final Moment NOW = new Moment(null, 0);

    /** The same so many microseconds later; null if it is too far. */
    Moment plus(Long more) {
      return more == null || Math.abs(offset + more) > REACH ? null
                                                             : new Moment(made, offset + more);
    }

    ClockMark mark() {
      return new ClockMark(made, offset);
    }
  }

  /** Puts the mark in the place of every clock in a temporal filter of an analysed plan. */
  public static LogicalPlan mark(LogicalPlan analyzed) {
    return analyzed.transformDownWithSubqueries(Scala.rule(node
        -> node instanceof Filter filter ? filter.copy(marked(filter.condition()), filter.child())
                                         : node));
  }

  private static Expression marked(Expression given) {
    Expression condition = plain(given);
    if (condition instanceof And both) {
      return new And(marked(both.left()), marked(both.right()));
    }
    if (!(condition instanceof BinaryComparison)) {
      return condition;
    }
    Expression left = Scala.list(condition.children()).get(0);
    Expression right = Scala.list(condition.children()).get(1);
    if (!isOrder(condition)) {
      return condition;
    }
    if (isTime(left) && moment(right) != null) {
      return condition.withNewChildren(Scala.seq(List.of(left, moment(right).mark())));
    }
    if (isTime(right) && moment(left) != null) {
      return condition.withNewChildren(Scala.seq(List.of(moment(left).mark(), right)));
    }
    return condition;
  }

  /** {@code BETWEEN} as the two comparisons it is; all else as it is. */
  private static Expression plain(Expression condition) {
    if (!(condition instanceof RuntimeReplaceable named) || !named.replacement().exists(IS_CLOCK)
        || !(named.replacement() instanceof With with)) {
      return condition;
    }
    return with.child().transform(Scala.rule(node
        -> node instanceof CommonExpressionRef ref ? Scala.list(with.defs())
                                                         .stream()
                                                         .filter(each -> each.id().equals(ref.id()))
                                                         .findFirst()
                                                         .map(CommonExpressionDef::child)
                                                         .orElse(node)
                                                   : node));
  }

  private static boolean isOrder(Expression comparison) {
    return comparison instanceof GreaterThan || comparison instanceof GreaterThanOrEqual
        || comparison instanceof LessThan || comparison instanceof LessThanOrEqual;
  }

  private static boolean expires(Expression comparison, boolean timeFirst) {
    return timeFirst ? comparison instanceof GreaterThan || comparison instanceof GreaterThanOrEqual
                     : comparison instanceof LessThan || comparison instanceof LessThanOrEqual;
  }

  private static boolean isTime(Expression value) {
    return value.dataType() instanceof TimestampType && !value.references().isEmpty()
        && !value.exists(IS_CLOCK);
  }

  /** The clock, and what is made of it that never goes back; null if it is something else. */
  private static Moment moment(Expression value) {
    if (IS_CLOCK.apply(value) == Boolean.TRUE) {
      return value.dataType() instanceof TimestampType ? Moment.NOW : null;
    } else if (value instanceof Cast cast) {
      boolean isTime = cast.dataType() instanceof TimestampType;
      return isTime && cast.child().dataType() instanceof TimestampType ? moment(cast.child())
                                                                        : null;
    } else if (value instanceof TimestampAddInterval add && add.interval().foldable()) {
      Moment before = moment(add.start());
      return before == null ? null : before.plus(micros(add.interval().eval(null)));
    } else if (value instanceof TruncTimestamp trunc && trunc.format().foldable()) {
      return moment(trunc.timestamp()) == null ? null : new Moment(ofClock(trunc), 0);
    } else if (value instanceof RuntimeReplaceable replaceable) {
      return moment(replaceable.replacement());
    }
    return null;
  }

  private static Expression ofClock(Expression value) {
    return value.transformUp(Scala.rule(node
        -> node instanceof RuntimeReplaceable named ? named.replacement()
            : IS_CLOCK.apply(node) == Boolean.TRUE  ? ClockMark.CLOCK
                                                    : node));
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
  public static boolean isIn(Expression expression) {
    return expression.exists(Scala.function(part -> part instanceof ClockMark));
  }

  /** As for expressions. */
  public static boolean isIn(LogicalPlan plan) {
    return plan.exists(Scala.function(
        node -> Scala.list(node.expressions()).stream().anyMatch(TemporalFilters::isIn)));
  }

  /**
   * Takes a condition apart.
   *
   * @param found receives the temporal filters
   * @return the rest, or null if there is none
   */
  public static Expression split(Expression condition, List<Temporal> found) {
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
            && isOrder(part)) {
          found.add(new Temporal(
              sides.get(side), clock.made(), clock.offset(), inclusive, !expires(part, side == 0)));
          return;
        }
      }
    }
    rest.add(part);
  }
}
