package io.groundswell.spark.shims;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases$;
import org.apache.spark.sql.catalyst.analysis.EliminateView$;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.optimizer.CollapseProject$;
import org.apache.spark.sql.catalyst.optimizer.EliminateSQLFunctionNode$;
import org.apache.spark.sql.catalyst.optimizer.FoldablePropagation$;
import org.apache.spark.sql.catalyst.optimizer.InlineCTE;
import org.apache.spark.sql.catalyst.optimizer.OptimizeOneRowRelationSubquery$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/** An analysed plan in which constants stand where they are used. */
public final class Inlined {
  private static final int MAX_ROUNDS = 20;

  private Inlined() {}

  /**
   * The same query: the bodies of SQL functions, common table expressions, columns that are
   * constants, and subqueries of one row without a table stand in their place. Nothing is computed
   * yet, and nothing is left out.
   */
  public static LogicalPlan constants(LogicalPlan analyzed) {
    LogicalPlan plan = analyzed;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      LogicalPlan before = plan;
      for (Rule<LogicalPlan> rule : rules()) {
        plan = rule.apply(plan);
      }
      plan = plan.transformAllExpressions(Scala.rule(part
          -> part instanceof SubqueryExpression subquery
              ? subquery.withNewPlan(constants(subquery.plan()))
              : part));
      if (plan.fastEquals(before)) {
        break;
      }
    }
    return plan;
  }

  /** The same query with the bodies of common table expressions in the place of their names. */
  public static LogicalPlan commonTables(LogicalPlan analyzed) {
    return inlineCommonTables().apply(analyzed);
  }

  private static List<Rule<LogicalPlan>> rules() {
    return List.of(inlineCommonTables(), EliminateView$.MODULE$, EliminateSubqueryAliases$.MODULE$,
        EliminateSQLFunctionNode$.MODULE$, OptimizeOneRowRelationSubquery$.MODULE$,
        CollapseProject$.MODULE$, FoldablePropagation$.MODULE$);
  }

  /** All of them, used once or often; the number of its switches differs between versions. */
  private static InlineCTE inlineCommonTables() {
    Constructor<?> constructor = InlineCTE.class.getConstructors()[0];
    Object[] switches = new Object[constructor.getParameterCount()];
    Arrays.fill(switches, false);
    switches[0] = true;
    try {
      return (InlineCTE) constructor.newInstance(switches);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark's InlineCTE cannot be made", e);
    }
  }
}
