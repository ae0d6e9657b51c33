package io.groundswell.spark.views.entry;

import com.google.common.collect.MapMaker;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.rewrite.CaptureOptimizer;
import io.groundswell.spark.views.capture.rewrite.Deduplicates;
import io.groundswell.spark.views.capture.rewrite.Rewrites;
import io.groundswell.spark.views.capture.rewrite.TemporalFilters;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern$;
import org.apache.spark.sql.classic.SparkSession;
import scala.collection.immutable.Map;

/**
 * What capturing makes of an analysed query. A query is captured when it becomes a view, when the
 * pipeline starts, and again with others; it is optimised once, as long as somebody has it and the
 * settings stay. Not so if it says what its session is or what time it is: the optimiser puts
 * values there.
 *
 * @param over the query over placeholders
 * @param optimized the same, optimised and rewritten
 */
record OptimizedQuery(LogicalPlan over, LogicalPlan optimized) {
  /** What was made of a query; {@code over} is null if it is the query itself, the key. */
  private record Known(Map<String, String> settings, LogicalPlan over, LogicalPlan optimized) {}

  /** By the query itself, not by what it equals: weak keys are compared by identity. */
  private static final ConcurrentMap<LogicalPlan, Known> KNOWN =
      new MapMaker().weakKeys().makeMap();

  /**
   * Optimises a query, unless that was done under the settings of this session.
   *
   * @param session has the settings of {@link CaptureOptimizer#settings}, and is active
   */
  static OptimizedQuery of(SparkSession session, LogicalPlan analyzed) {
    Map<String, String> settings = session.sessionState().conf().getAllConfs();
    Known known = KNOWN.get(analyzed);
    if (known != null && known.settings.equals(settings)) {
      return new OptimizedQuery(known.over == null ? analyzed : known.over, known.optimized);
    }
    OptimizedQuery made = anew(session, analyzed);
    if (!analyzed.containsPattern(TreePattern$.MODULE$.CURRENT_LIKE())
        && !made.optimized.exists(Scala.function(node -> node == analyzed))) { // it holds its key
      LogicalPlan over = made.over == analyzed ? null : made.over;
      KNOWN.put(analyzed, new Known(settings, over, made.optimized));
    }
    return made;
  }

  /** Optimises a query: its copy in a plan that has it already. */
  static OptimizedQuery anew(SparkSession session, LogicalPlan analyzed) {
    LogicalPlan over =
        TemporalFilters.mark(Deduplicates.rewrite(Placeholders.replaceLeaves(session, analyzed)));
    return new OptimizedQuery(over, Rewrites.apply(CaptureOptimizer.optimize(session, over)));
  }
}
