package io.groundswell.spark.sql;

import org.apache.spark.sql.SparkSession;

/** What answers for pipelines; Python implements it. */
@FunctionalInterface
public interface StatementHandler {
  /**
   * Answers one request. May be called from any thread, and calls the JVM back while it works.
   *
   * @param session whose statement it is
   * @param request a {@link io.groundswell.spark.views.contract.sql.SqlRequest}
   * @return a {@link io.groundswell.spark.views.contract.sql.SqlAnswer}
   */
  String ask(SparkSession session, String request);
}
