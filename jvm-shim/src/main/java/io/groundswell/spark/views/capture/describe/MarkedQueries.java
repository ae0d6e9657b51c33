package io.groundswell.spark.views.capture.describe;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.stream.StreamingLeaves;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * What is computed below a watermark: it belongs to the source, whose rows are what the watermark
 * has seen.
 */
public final class MarkedQueries {
  private MarkedQueries() {}

  /** Tells queries apart that read one stream in different ways; empty for the stream itself. */
  public static String text(LogicalPlan plan) {
    if (StreamingLeaves.isLeaf(plan)) {
      return "";
    }
    String below = Scala.list(plan.children())
                       .stream()
                       .map(MarkedQueries::text)
                       .filter(text -> !text.isEmpty())
                       .collect(Collectors.joining(", "));
    String own = Scala.list(plan.expressions())
                     .stream()
                     .map(ExpressionDescriber::meaning)
                     .collect(Collectors.joining(", ", plan.nodeName() + " (", ")"));
    return below.isEmpty() ? own : own + " of " + below;
  }
}
