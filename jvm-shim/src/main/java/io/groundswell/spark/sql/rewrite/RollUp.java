package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitAndAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitOrAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitXorAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegralType;

/**
 * Aggregates of groups, computed from those of the smaller groups that they consist of. A function
 * can be rolled up if its value over a union is a function of its values over the parts: counts and
 * sums add up, the least of the least is the least.
 */
final class RollUp {
  private RollUp() {}

  /** What an aggregate gives, over the inputs of the block below it. */
  static List<SelectBlock.Column> columns(Aggregate aggregate, SelectBlock below) {
    Map<ExprId, Expression> values = below.values();
    return Scala.list(aggregate.aggregateExpressions())
        .stream()
        .map(each
            -> new SelectBlock.Column(
                each.toAttribute(), SelectBlock.replaced(SelectBlock.valueOf(each), values)))
        .toList();
  }

  static List<Expression> groups(Aggregate aggregate, UnaryOperator<Expression> translated) {
    return Scala.list(aggregate.groupingExpressions()).stream().map(translated).toList();
  }

  /**
   * Refuses an aggregate with other groups: groups by the same values are the same groups.
   *
   * @throws NotContainedException the groups differ
   */
  static void checkSameGroups(Aggregate query, Aggregate view, UnaryOperator<Expression> ofQuery,
      UnaryOperator<Expression> ofView) throws NotContainedException {
    if (!sameGroups(groups(query, ofQuery), groups(view, ofView))) {
      throw new NotContainedException(Step.GROUPS, "the query groups its rows by other columns");
    }
  }

  /** A global aggregate has a row without any input, and one by groups has none. */
  static boolean sameGroups(List<Expression> query, List<Expression> view) {
    return query.isEmpty() == view.isEmpty() && covers(query, view) && covers(view, query);
  }

  private static boolean covers(List<Expression> all, List<Expression> some) {
    return some.stream().allMatch(each -> all.stream().anyMatch(each::semanticEquals));
  }

  /**
   * A value that all rows of a group of the view have in common, over the columns of the view.
   *
   * @param wanted over the inputs of the view
   * @throws NotContainedException it differs within groups; a view without groups has no such value
   */
  static Expression ofGroup(Expression wanted, Aggregate view, SelectBlock below,
      Derivation derivation) throws NotContainedException {
    List<Expression> groups = groups(view, each -> SelectBlock.replaced(each, below.values()));
    if (groups.isEmpty() || !isOver(wanted, groups)) {
      throw new NotContainedException(
          Step.GROUPS, wanted.sql() + " of the query is not a function of what the view groups by");
    }
    return derivation.of(wanted);
  }

  private static boolean isOver(Expression value, List<Expression> groups) {
    if (groups.stream().anyMatch(value::semanticEquals)) {
      return true;
    }
    List<Expression> parts = Scala.list(value.children());
    return !(value instanceof Attribute) && parts.stream().allMatch(part -> isOver(part, groups));
  }

  /**
   * An output of the query's aggregate, over the rows of a view with smaller groups.
   *
   * @param wanted over the inputs of the view
   * @param derivation of the view's columns
   * @param groups the values that the query groups by, over the inputs of the view
   * @param keys the same, as they are called in the aggregate that is made
   */
  static Expression output(Expression wanted, Derivation derivation, List<Expression> groups,
      List<Attribute> keys) throws NotContainedException {
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).semanticEquals(wanted)) {
        return keys.get(i);
      }
    }
    if (wanted instanceof AggregateExpression call) {
      return rolledUp(call, derivation);
    } else if (wanted instanceof Attribute attribute) {
      throw new NotContainedException(Step.COLUMNS, "the view has no column " + attribute.name());
    }
    List<Expression> parts = new ArrayList<>();
    for (Expression part : Scala.list(wanted.children())) {
      parts.add(output(part, derivation, groups, keys));
    }
    return parts.isEmpty() ? wanted : wanted.withNewChildren(Scala.seq(parts));
  }

  private static Expression rolledUp(AggregateExpression call, Derivation derivation)
      throws NotContainedException {
    AggregateFunction function = call.aggregateFunction();
    if (call.isDistinct()) {
      throw refused(call, "distinct values of groups may be the same ones");
    }
    Expression parts = derivation.of(call);
    if (function instanceof Count) {
      // counts of disjoint groups add up; there may be no group, and then the count is 0
      return Algebra.coalesce(Algebra.sum(parts), Algebra.number(0));
    } else if (function instanceof Sum sum) {
      return sum(call, sum, parts);
    } else if (function instanceof Min) {
      return Algebra.min(parts); // the least of the least is the least
    } else if (function instanceof Max) {
      return Algebra.max(parts);
    } else if (function instanceof BitAndAgg) {
      return call(new BitAndAgg(parts), call); // these three are associative and commutative
    } else if (function instanceof BitOrAgg) {
      return call(new BitOrAgg(parts), call);
    } else if (function instanceof BitXorAgg) {
      return call(new BitXorAgg(parts), call);
    }
    throw refused(call, "it is not a function of its values over smaller groups");
  }

  /**
   * Sums of whole numbers are exact up to an overflow, which is an error in both or, without ANSI,
   * arithmetic modulo 2^64 in both. A decimal sum that overflows is an error with ANSI; without it,
   * it would be a null that the sum over it leaves out.
   */
  private static Expression sum(AggregateExpression call, Sum sum, Expression parts)
      throws NotContainedException {
    DataType type = sum.dataType();
    boolean ansi = sum.evalContext().evalMode().equals(EvalMode.ANSI());
    boolean legacy = sum.evalContext().evalMode().equals(EvalMode.LEGACY());
    boolean whole = type instanceof IntegralType && (ansi || legacy);
    if (!whole && !(type instanceof DecimalType && ansi)) {
      throw refused(call,
          type instanceof DecimalType || type instanceof IntegralType
              ? "an overflow of a smaller group would be left out"
              : "the order of additions changes the result");
    }
    Expression total = call(new Sum(parts, sum.evalContext()), call);
    return total.dataType().equals(type) ? total : Algebra.ansiCast(total, type);
  }

  private static Expression call(AggregateFunction function, AggregateExpression like) {
    return Algebra.call(
        like.copy(function, like.mode(), false, Scala.none(), like.resultId()), function);
  }

  private static NotContainedException refused(AggregateExpression call, String why) {
    return new NotContainedException(
        Step.COLUMNS, call.sql() + " cannot be computed from smaller groups: " + why);
  }
}
