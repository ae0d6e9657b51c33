package io.groundswell.spark.sql;

import org.apache.spark.sql.SparkSession;

/** What answers for pipelines; Python implements it. */
@FunctionalInterface
public interface StatementHandler {
  /**
   * Answers one request. May be called from any thread, and calls the JVM back while it works.
   *
   * @param session whose statement it is
   * @param request JSON object; {@code ask} says what is wanted
   * @return JSON object; {@code error} in it says what went wrong. (Nothing is thrown across py4j,
   *     which would carry whole stack traces as its message.)
   */
  String ask(SparkSession session, String request);
}
