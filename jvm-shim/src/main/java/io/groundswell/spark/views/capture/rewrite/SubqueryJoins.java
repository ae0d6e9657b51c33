package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Uncorrelated scalar subqueries, and EXISTS, which the optimiser makes one: the node's input is
 * joined with a table of one row that always has the subquery's value.
 */
final class SubqueryJoins {
  private static final String TOO_MANY = "a subquery that is used as a value gave several rows";

  /** Canonical plan of a subquery → what stands for its value. */
  private final Map<LogicalPlan, Attribute> values = new LinkedHashMap<>();

  private LogicalPlan input;

  private SubqueryJoins(LogicalPlan input) {
    this.input = input;
  }

  static LogicalPlan rewrite(LogicalPlan node) {
    if (node.children().isEmpty()
        || Scala.list(node.expressions()).stream().noneMatch(SubqueryJoins::isRewritable)) {
      return node;
    } else if (node instanceof Aggregate aggregate) {
      return aggregate(aggregate);
    } else if (node instanceof Join join) {
      SubqueryJoins right = new SubqueryJoins(join.right());
      Join rewritten = (Join) right.replaced(join);
      return exactly(join, rewritten.withNewChildren(Scala.seq(List.of(join.left(), right.input))));
    } else if (node.children().size() != 1) {
      return node;
    }
    SubqueryJoins below = new SubqueryJoins(Scala.list(node.children()).get(0));
    LogicalPlan rewritten = below.replaced(node);
    return exactly(node, rewritten.withNewChildren(Scala.seq(List.of(below.input))));
  }

  private static boolean isRewritable(Expression expression) {
    if (expression instanceof ScalarSubquery subquery) {
      return isRewritable(subquery);
    }
    return SubqueryExpression.hasSubquery(expression)
        && Scala.list(expression.children()).stream().anyMatch(SubqueryJoins::isRewritable);
  }

  private static boolean isRewritable(ScalarSubquery subquery) {
    return subquery.outerAttrs().isEmpty() && subquery.plan().output().size() == 1
        && RowOrdering.isOrderable(subquery.dataType());
  }

  /** Calls read the input with the values of their subqueries; results are computed above. */
  private static LogicalPlan aggregate(Aggregate aggregate) {
    AggregateParts parts = AggregateParts.of(aggregate);
    SubqueryJoins below = new SubqueryJoins(parts.child());
    List<NamedExpression> given = new ArrayList<>(parts.grouping());
    Map<Long, Attribute> results = new LinkedHashMap<>();
    for (AggregateExpression call : parts.calls()) {
      Alias alias = Catalyst.alias(below.value(call), "_call");
      given.add(alias);
      results.put(call.resultAttribute().exprId().id(), alias.toAttribute());
    }
    LogicalPlan groups = Algebra.aggregate(new ArrayList<>(parts.grouping()), given, below.input);
    SubqueryJoins above = new SubqueryJoins(groups);
    List<NamedExpression> list = new ArrayList<>();
    for (NamedExpression result : parts.results()) {
      Expression over =
          ((Expression) result)
              .transformUp(Scala.rule(part
                  -> part instanceof Attribute a ? results.getOrDefault(a.exprId().id(), a)
                                                 : part));
      list.add((NamedExpression) above.value(over));
    }
    return Catalyst.project(list, above.input);
  }

  private static LogicalPlan exactly(LogicalPlan node, LogicalPlan rewritten) {
    return Catalyst.project(new ArrayList<>(Scala.list(node.output())), rewritten);
  }

  private LogicalPlan replaced(LogicalPlan node) {
    return node.mapExpressions(Scala.mapping(this::value));
  }

  private Expression value(Expression expression) {
    return expression.transformUp(Scala.rule(part
        -> part instanceof ScalarSubquery subquery && isRewritable(subquery) ? value(subquery)
                                                                             : part));
  }

  private Attribute value(ScalarSubquery subquery) {
    return values.computeIfAbsent(subquery.plan().canonicalized(), same -> {
      LogicalPlan row = oneRow(Rewrites.apply(subquery.plan()));
      input = Algebra.cross(input, row);
      return Scala.list(row.output()).get(0);
    });
  }

  /** A plan that always has one row, with the value of a subquery: null if that has no row. */
  private static LogicalPlan oneRow(LogicalPlan subquery) {
    Attribute value = Scala.list(subquery.output()).get(0);
    if (alwaysOneRow(subquery)) {
      return Catalyst.project(List.of(Catalyst.alias(value, value.name())), subquery);
    }
    if (subquery instanceof GlobalLimit limit
        && Integer.valueOf(1).equals(limit.limitExpr().eval(null))
        && limit.child() instanceof LocalLimit local && local.child() instanceof Project project
        && Scala.list(project.projectList()).get(0) instanceof Alias alias
        && alias.child().foldable()) {
      // EXISTS: a constant if there is a row
      Expression exists = Algebra.greater(Algebra.count(), 0);
      Expression found = Algebra.either(exists, alias.child(), Algebra.none(value.dataType()));
      return Algebra.aggregate(
          List.of(), List.of(Catalyst.alias(found, value.name())), project.child());
    }
    Expression only = only(Algebra.count(), Algebra.max(value));
    return Algebra.aggregate(List.of(), List.of(Catalyst.alias(only, value.name())), subquery);
  }

  /** The value of so many rows; an error if they are several. */
  static Expression only(Expression rows, Expression value) {
    Expression error = Algebra.raise(TOO_MANY, value.dataType());
    return Algebra.either(Algebra.greater(rows, 1), error, value);
  }

  private static boolean alwaysOneRow(LogicalPlan plan) {
    return plan instanceof Project project
        ? alwaysOneRow(project.child())
        : plan instanceof Aggregate aggregate && aggregate.groupingExpressions().isEmpty();
  }
}
