package io.groundswell.spark.sql;

import io.groundswell.GroundswellExtensions;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.Catalyst;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;

/**
 * Plans as Spark's optimizer has them where {@link UseViews} stands: behind all rules on operators,
 * and before any scan is planned. The query of a view is brought there by the same optimizer as the
 * query that it is compared with.
 */
final class OptimizerStage {
  private static final ThreadLocal<OptimizerStage> RECORDING = new ThreadLocal<>();

  private LogicalPlan seen;

  private OptimizerStage() {}

  /**
   * What the optimizer of a session makes of an analysed plan until it comes to our rule.
   *
   * @throws EngineException the session's optimizer does not have the rule
   */
  static LogicalPlan of(SparkSession session, LogicalPlan analyzed) {
    OptimizerStage outer = RECORDING.get();
    OptimizerStage stage = new OptimizerStage();
    RECORDING.set(stage);
    try {
      session.sessionState().optimizer().execute(analyzed);
    } finally {
      RECORDING.set(outer);
    }
    if (stage.seen == null) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "the optimizer of this session does not have the rule " + UseViews.class.getName()
              + ": start the session with gs.configure(), or with spark.sql.extensions="
              + GroundswellExtensions.class.getName()
              + ", and leave the rule out of spark.sql.optimizer.excludedRules");
    }
    return stage.seen;
  }

  /** The plan that the rule gives while a plan is only looked at; null: it is to be executed. */
  static LogicalPlan recorded(LogicalPlan plan) {
    OptimizerStage stage = RECORDING.get();
    if (stage == null) {
      return null;
    }
    stage.seen = plan; // of a plan and its subqueries the plan comes last
    // The rules behind this one have nothing to do with an empty relation.
    return new LocalRelation(plan.output(), Catalyst.nil(), false, scala.Option.empty());
  }
}
