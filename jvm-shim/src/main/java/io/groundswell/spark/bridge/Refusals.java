package io.groundswell.spark.bridge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.groundswell.spark.compat.Scala;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * What must be seen in the analysed plan, because the optimiser takes it away: the time of the
 * query becomes a constant, watermarks over batch relations vanish. Also what gives another value
 * whenever it is computed: a view could not retract it.
 */
final class Refusals {
  private static final Set<String> CLOCKS =
      Set.of(
          "CurrentBatchTimestamp",
          "CurrentDate",
          "CurrentTime",
          "CurrentTimestamp",
          "CurrentTimestampNanos",
          "LocalTimestamp",
          "LocalTimestampNanos",
          "Now");

  private final Map<String, String> found = new LinkedHashMap<>();

  private Refusals() {}

  static ArrayNode of(LogicalPlan analyzed) {
    Refusals refusals = new Refusals();
    refusals.visit(analyzed);
    ArrayNode result = Json.array();
    refusals.found.forEach((what, why) -> result.addObject().put("what", what).put("why", why));
    return result;
  }

  private void visit(LogicalPlan plan) {
    if (plan instanceof EventTimeWatermark watermark) {
      found.put(
          "withWatermark(" + watermark.eventTime().name() + ")",
          "watermarks are not used by incremental views yet");
    }
    Scala.list(plan.expressions()).forEach(this::visit);
    Scala.list(plan.children()).forEach(this::visit);
    Scala.list(plan.subqueries()).forEach(this::visit);
  }

  private void visit(Expression expression) {
    if (CLOCKS.contains(expression.getClass().getSimpleName())) {
      found.put(
          expression.prettyName() + "()",
          "its value changes while no row does, so the view would not stay equal to its query");
      return;
    }
    Scala.list(expression.children()).forEach(this::visit);
    if (!expression.deterministic()
        && Scala.list(expression.children()).stream().allMatch(Expression::deterministic)) {
      found.put(
          expression.sql(),
          "it gives another value whenever it is computed, so a change could not be taken back");
    }
  }
}
