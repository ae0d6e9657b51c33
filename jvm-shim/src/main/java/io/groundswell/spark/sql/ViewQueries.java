package io.groundswell.spark.sql;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.ExpectRows;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.Eligibility;
import io.groundswell.spark.sql.rewrite.NotContainedException;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import io.groundswell.spark.sql.rewrite.ViewQuery;
import io.groundswell.spark.views.contract.sql.QueryAt;
import io.groundswell.spark.views.entry.Placeholders;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * The queries of views, as Python gave them, and what optimizers made of them.
 *
 * <p>Python holds the frame of a view as long as the pipeline has the view. Here it is held weakly,
 * so that what is known of a view goes with the view.
 */
public final class ViewQueries {
  private static final String DROP = "drop";
  private static final Map<String, WeakReference<Dataset<Row>>> FRAMES = new ConcurrentHashMap<>();
  private static final Map<Dataset<Row>, Known> KNOWN =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** What the query of a view was under settings, and which columns its relations had. */
  private record
      Known(scala.collection.immutable.Map<String, String> settings, Map<String, String> relations,
          Map<String, StructType> columns, ViewQuery query, String refused) {}

  private ViewQueries() {}

  /** Takes the query of a view under a key; a later one takes its place. */
  public static void put(String key, Dataset<Row> frame) {
    FRAMES.values().removeIf(each -> each.get() == null);
    FRAMES.put(key, new WeakReference<>(frame));
  }

  /** How many queries of views with keys that begin so are in memory. */
  public static int count(String prefix) {
    return (int) FRAMES.entrySet()
        .stream()
        .filter(each -> each.getKey().startsWith(prefix) && each.getValue().get() != null)
        .count();
  }

  /**
   * The query of a view, optimised by a session.
   *
   * @param columns by name of a table or view that it reads, the columns that it has for readers
   * @throws NotContainedException no query can be answered from the view
   */
  static ViewQuery of(SparkSession session, QueryAt view, Map<String, StructType> columns,
      boolean rounding) throws NotContainedException {
    if (view.refused() != null) {
      throw new NotContainedException(Step.COLUMNS, view.refused());
    }
    WeakReference<Dataset<Row>> held = FRAMES.get(view.frame());
    Dataset<Row> frame = held == null ? null : held.get();
    if (frame == null) {
      throw new NotContainedException(Step.COLUMNS, "it was changed or dropped meanwhile");
    }
    scala.collection.immutable.Map<String, String> settings =
        session.sessionState().conf().getAllConfs();
    Known known = KNOWN.get(frame);
    if (known == null || !known.settings.equals(settings)
        || !known.relations.equals(view.relations()) || !known.columns.equals(columns)) {
      known = made(session, view, Catalyst.analyzed(frame), settings, columns, rounding);
      KNOWN.put(frame, known);
    }
    if (known.query == null) {
      throw new NotContainedException(Step.COLUMNS, known.refused);
    }
    return known.query;
  }

  /** Rows that do not meet an expectation are in the view all the same, if no action drops them. */
  private static LogicalPlan unexpecting(LogicalPlan node) {
    return node instanceof ExpectRows rows && !rows.action().equals(DROP) ? rows.child() : node;
  }

  private static Known made(SparkSession session, QueryAt view, LogicalPlan given,
      scala.collection.immutable.Map<String, String> settings, Map<String, StructType> columns,
      boolean rounding) {
    LogicalPlan analyzed = given.transformUp(Scala.rule(ViewQueries::unexpecting));
    String refused = Eligibility.whyNot(analyzed, rounding);
    ViewQuery query = null;
    if (refused == null) {
      try {
        query = ViewQuery.of(Placeholders.replaceLeaves(session, analyzed), view.relations(),
            columns, plan -> OptimizerStage.of(session, plan));
      } catch (NotContainedException e) {
        refused = e.getMessage();
      }
    }
    return new Known(settings, view.relations(), Map.copyOf(columns), query, refused);
  }
}
