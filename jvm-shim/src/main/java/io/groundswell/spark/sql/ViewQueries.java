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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructType;

/** The queries of views, as Python gave them, and what optimizers made of them. */
public final class ViewQueries {
  private static final String DROP = "drop";
  private static final Map<String, LogicalPlan> ANALYZED = new ConcurrentHashMap<>();
  private static final Map<String, Known> KNOWN = new ConcurrentHashMap<>();

  /** What the query of a view was under settings, and which columns its relations had. */
  private record Known(LogicalPlan analyzed,
      scala.collection.immutable.Map<String, String> settings, Map<String, String> relations,
      Map<String, StructType> columns, ViewQuery query, String refused) {}

  private ViewQueries() {}

  /** Keeps the query of a view under a key; a later one takes its place. */
  public static void put(String key, Dataset<Row> frame) {
    ANALYZED.put(key, Catalyst.analyzed(frame));
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
    LogicalPlan analyzed = ANALYZED.get(view.frame());
    scala.collection.immutable.Map<String, String> settings =
        session.sessionState().conf().getAllConfs();
    Known known = KNOWN.get(view.frame());
    if (known == null || known.analyzed != analyzed || !known.settings.equals(settings)
        || !known.relations.equals(view.relations()) || !known.columns.equals(columns)) {
      known = made(session, view, analyzed, settings, columns, rounding);
      KNOWN.put(view.frame(), known);
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
    return new Known(given, settings, view.relations(), Map.copyOf(columns), query, refused);
  }
}
