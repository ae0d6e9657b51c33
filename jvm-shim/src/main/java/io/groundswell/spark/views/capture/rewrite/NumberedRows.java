package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.RowNumber;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.WindowSpecDefinition;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * {@code row_number()} without an order, which Catalyst makes of a correlated subquery's LIMIT: it
 * counts on the order that rows come in from a Sort below. Here the Sort's order is the window's.
 */
final class NumberedRows {
  private NumberedRows() {}

  /** The same window, in the order of the Sort below; itself if there is none. */
  static LogicalPlan rewrite(Window window) {
    Sort sort = numbers(window) ? sortBelow(window.child()) : null;
    if (sort == null) {
      return window;
    }
    List<NamedExpression> keys = new ArrayList<>();
    List<SortOrder> order = new ArrayList<>();
    for (SortOrder by : Scala.list(sort.order())) {
      Alias key = Catalyst.alias(by.child(), "_order");
      keys.add(key);
      order.add(Algebra.order(by, key.toAttribute()));
    }
    List<Expression> partition = Scala.list(window.partitionSpec());
    List<NamedExpression> functions = new ArrayList<>();
    for (NamedExpression function : Scala.list(window.windowExpressions())) {
      functions.add((NamedExpression) ((Expression) function)
              .transformDown(Scala.rule(part
                  -> part instanceof WindowSpecDefinition spec
                      ? Algebra.spec(partition, order, spec.frameSpecification())
                      : part)));
    }
    Window ordered = Algebra.window(functions, partition, order, carrying(keys, window.child()));
    return Catalyst.project(
        new ArrayList<>(Scala.list(window.output())), ComparableKeys.rewrite(ordered));
  }

  private static boolean numbers(Window window) {
    return window.orderSpec().isEmpty()
        && Scala.list(window.windowExpressions())
               .stream()
               .allMatch(each
                   -> each instanceof Alias alias && alias.child() instanceof WindowExpression over
                       && over.windowFunction() instanceof RowNumber);
  }

  /** The Sort whose order the rows of a plan come in, or null. */
  private static Sort sortBelow(LogicalPlan plan) {
    return plan instanceof Sort sort ? sort : isPassing(plan) ? sortBelow(below(plan)) : null;
  }

  private static boolean isPassing(LogicalPlan plan) {
    return plan instanceof Project || plan instanceof Filter || plan instanceof Window;
  }

  private static LogicalPlan below(LogicalPlan plan) {
    return Scala.list(plan.children()).get(0);
  }

  /** The plan with the keys of its Sort, and without it. */
  private static LogicalPlan carrying(List<NamedExpression> keys, LogicalPlan plan) {
    if (plan instanceof Sort sort) {
      List<NamedExpression> list = new ArrayList<>(Scala.list(sort.child().output()));
      list.addAll(keys);
      return Catalyst.project(list, sort.child());
    }
    LogicalPlan child = carrying(keys, below(plan));
    if (plan instanceof Project project) {
      List<NamedExpression> list = new ArrayList<>(Scala.list(project.projectList()));
      keys.forEach(key -> list.add(key.toAttribute()));
      return Catalyst.project(list, child);
    }
    return plan.withNewChildren(Scala.seq(List.of(child)));
  }
}
