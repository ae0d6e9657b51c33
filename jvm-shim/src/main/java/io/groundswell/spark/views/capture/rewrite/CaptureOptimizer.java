package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.StageCode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkOptimizer;
import scala.collection.immutable.Seq;

/**
 * Spark's optimiser without the rules that suit only queries that end.
 *
 * <p>Limits are not pushed below joins, unions and windows (a hint for batch, wrong to keep for a
 * view); projections not below limits (over a scalar subquery Spark 4.3 then takes the sort for
 * useless, and any rows for the first ones); no runtime filters (they run a query while planning);
 * decimals keep their type; subqueries stay apart, for each becomes a join of its own; several
 * distinct aggregates stay one Aggregate instead of an Expand, which Spark lets nobody exclude:
 * hence this class.
 */
public final class CaptureOptimizer extends SparkOptimizer {
  private static final String PACKAGE = "org.apache.spark.sql.catalyst.optimizer.";
  private static final String DISTINCT = PACKAGE + "RewriteDistinctAggregates";

  /** Take a DISTINCT away where rows are distinct, and with it what made their key anew. */
  private static final String DISTINCT_ROWS =
      PACKAGE + "OptimizeOneRowPlan," + PACKAGE + "RemoveRedundantAggregates";

  private static final List<String> EXCLUDED = List.of(PACKAGE + "LimitPushDown",
      PACKAGE + "LimitPushDownThroughWindow", PACKAGE + "PushProjectionThroughLimitAndOffset",
      PACKAGE + "DecimalAggregates", PACKAGE + "InjectRuntimeFilter",
      "org.apache.spark.sql.execution.planmerging.MergeSubplans");

  private static final String EXCLUDED_RULES = "spark.sql.optimizer.excludedRules";

  /**
   * Optimises a plan in a session that has {@link #settings}. For a lateral query Spark joins the
   * outer rows with what the query makes of them, so both sides read the same columns. The DISTINCT
   * of these stays there, whether it changes them or not: else both sides have the same hidden key.
   */
  public static LogicalPlan optimize(SparkSession session, LogicalPlan plan) {
    LogicalPlan made = optimize(session, plan, DISTINCT);
    return joinsItself(made) ? optimize(session, plan, DISTINCT + "," + DISTINCT_ROWS) : made;
  }

  private static boolean joinsItself(LogicalPlan plan) {
    if (plan instanceof Join join) {
      Set<ExprId> left = read(join.left());
      if (read(join.right()).stream().anyMatch(left::contains)) {
        return true;
      }
    }
    return Scala.list(plan.children()).stream().anyMatch(CaptureOptimizer::joinsItself);
  }

  private static Set<ExprId> read(LogicalPlan plan) {
    return Scala.list(plan.collectLeaves())
        .stream()
        .flatMap(leaf -> Scala.list(leaf.output()).stream())
        .map(Attribute::exprId)
        .collect(Collectors.toSet());
  }

  private static LogicalPlan optimize(SparkSession session, LogicalPlan plan, String more) {
    String others = session.conf().get(EXCLUDED_RULES);
    // Not for longer: Spark's own optimiser warns of the rule at every plan.
    session.conf().set(EXCLUDED_RULES, others + "," + more);
    try {
      return new CaptureOptimizer(session).executeAndTrack(
          plan.clone(), new QueryPlanningTracker(Scala.none()));
    } finally {
      session.conf().set(EXCLUDED_RULES, others);
    }
  }

  private CaptureOptimizer(SparkSession session) {
    super(session.sessionState().catalogManager(), session.sessionState().catalog(),
        session.sessionState().experimentalMethods());
  }

  /** Settings of the session that captures; what the user excluded stays excluded. */
  public static List<String[]> settings(SparkSession session) {
    String own = session.conf().get(EXCLUDED_RULES, "");
    String all = String.join(",", EXCLUDED);
    return List.of(new String[] {EXCLUDED_RULES, own.isEmpty() ? all : own + "," + all},
        new String[] {"spark.sql.adaptive.enabled", "false"},
        new String[] {StageCode.SETTING, "true"}, new String[] {"spark.sql.cbo.enabled", "false"},
        new String[] {"spark.sql.optimizer.dynamicPartitionPruning.enabled", "false"},
        new String[] {"spark.sql.optimizer.runtime.bloomFilter.enabled", "false"},
        new String[] {"spark.sql.optimizer.runtimeFilter.semiJoinReduction.enabled", "false"});
  }

  @Override
  public Seq<String> nonExcludableRules() {
    return Scala.seq(Scala.list(super.nonExcludableRules())
            .stream()
            .filter(rule -> !rule.equals(DISTINCT))
            .toList());
  }
}
