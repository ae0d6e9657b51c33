package io.groundswell.spark.views.entry;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Takes the barriers of one pipeline; Python implements it. */
@FunctionalInterface
public interface BarrierHandler {
  /**
   * One micro-batch. Called on the stream's thread; returns when everything it stands for is
   * durable. May be called again with the same number after a restart.
   *
   * @param epoch Spark's batch id
   * @param batch the rows of all sources, as {@code Dataflow.run} takes them
   * @return null when done; empty if the pipeline is being stopped; else what went wrong, in a few
   *     lines. (Thrown across py4j it would carry whole stack traces as its message, which Spark
   *     then searches with a regular expression that such lengths overflow.)
   */
  String onBarrier(long epoch, Dataset<Row> batch);
}
