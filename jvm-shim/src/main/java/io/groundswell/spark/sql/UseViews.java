package io.groundswell.spark.sql;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.views.contract.sql.RewriteUses;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;

/**
 * The optimizer rule that answers batch queries from views. It stands before the rules that plan
 * scans, so that conditions and columns are pushed into the scan of the view.
 */
public final class UseViews extends Rule<LogicalPlan> {
  /** Whether queries of a session are answered from views. */
  static final String SETTING = "spark.groundswell.useViews";

  /** Whether that goes for sums of doubles, too, whose last digits may differ. */
  static final String ROUNDING = SETTING + ".rounding";

  private final SparkSession session;

  public UseViews(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    LogicalPlan recorded = OptimizerStage.recorded(plan);
    if (recorded != null) {
      return recorded;
    } else if (plan.isStreaming() || !isOn(SETTING)) {
      return plan;
    }
    return new Rewriting(session, isOn(ROUNDING)).apply(plan);
  }

  /**
   * What the rule would make of a query, whether the setting is on or off.
   *
   * @return a {@link RewriteUses}
   */
  public static String explained(Dataset<Row> frame) {
    SparkSession session = Catalyst.session(frame);
    return Catalyst.withActive(session, () -> {
      boolean rounding =
          isOn(ROUNDING, session.sessionState().conf().getConfString(ROUNDING, "false"));
      Rewriting rewriting = new Rewriting(session, rounding);
      rewriting.apply(OptimizerStage.of(session, Catalyst.analyzed(frame)));
      return Documents.write(new RewriteUses(List.copyOf(rewriting.used()), rewriting.reasons()));
    });
  }

  private boolean isOn(String setting) {
    return isOn(setting, conf().getConfString(setting, "false"));
  }

  static boolean isOn(String setting, String value) {
    return switch (value.strip().toLowerCase(java.util.Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default ->
        throw new IllegalArgumentException(
            "conf " + setting + " must be true or false, got '" + value + "'");
    };
  }
}
