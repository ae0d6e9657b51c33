package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.SortedMap;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.MapSort;
import org.apache.spark.sql.catalyst.optimizer.CollapseProject$;
import org.apache.spark.sql.catalyst.optimizer.ColumnPruning$;
import org.apache.spark.sql.catalyst.optimizer.RemoveNoopOperators$;
import org.apache.spark.sql.catalyst.plans.LeftSingle$;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * What an optimised plan says in ways that suit one run of a query, said with operators that can be
 * kept: subqueries in expressions and NOT IN become joins with one row, generators say positions,
 * strings are compared by the bytes of their collation, rows are numbered in an order, and maps
 * that are grouped by keep their nulls.
 */
public final class Rewrites {
  private static final int MAX_ROUNDS = 20;

  private Rewrites() {}

  /** The same query; what cannot be rewritten stays, and is refused by name later. */
  public static LogicalPlan apply(LogicalPlan optimized) {
    LogicalPlan rewritten = withNulls(optimized).transformUp(Scala.rule(Rewrites::rewrite));
    return rewritten == optimized ? optimized : pruned(rewritten);
  }

  /** Maps that are grouped by keep their nulls, of which generated code makes numbers. */
  private static LogicalPlan withNulls(LogicalPlan plan) {
    return plan.transformAllExpressions(
        Scala.rule(part -> part instanceof MapSort sort ? SortedMap.of(sort) : part));
  }

  /** Without the columns that only stood in the way of the rewritten nodes. */
  private static LogicalPlan pruned(LogicalPlan plan) {
    LogicalPlan before = plan;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      LogicalPlan after = RemoveNoopOperators$.MODULE$.apply(
          CollapseProject$.MODULE$.apply(ColumnPruning$.MODULE$.apply(before)));
      if (after.fastEquals(before)) {
        break;
      }
      before = after;
    }
    return before;
  }

  private static LogicalPlan rewrite(LogicalPlan node) {
    LogicalPlan joined = SubqueryJoins.rewrite(node);
    if (joined != node) {
      // the node itself stands somewhere below what was put on top of it
      return joined.transformUp(Scala.rule(Rewrites::rewriteOthers));
    }
    return rewriteOthers(node);
  }

  private static LogicalPlan rewriteOthers(LogicalPlan node) {
    if (node instanceof Join join) {
      return join.joinType() == LeftSingle$.MODULE$ ? SingleJoins.rewrite(join)
                                                    : NotInJoins.rewrite(join);
    } else if (node instanceof Generate generate) {
      return Positions.rewrite(generate);
    }
    LogicalPlan numbered = node instanceof Window window ? NumberedRows.rewrite(window) : node;
    return numbered == node ? ComparableKeys.rewrite(node) : numbered;
  }
}
