package io.groundswell.spark.store.provider;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.apache.spark.sql.execution.streaming.state.StateStoreCustomMetric;

/**
 * A number that a store adds to {@code stateOperators[].customMetrics} of a query's progress.
 *
 * @param name its key there
 * @param desc what Spark's UI calls it
 * @param unit how it is summed and shown
 * @param isSnapshot true if it is a state of things, not an amount of work done in the batch
 */
record StoreMetric(String name, String desc, Unit unit, boolean isSnapshot)
    implements StateStoreCustomMetric {
  enum Unit { COUNT, BYTES, MILLIS }

  @Override
  public StateStoreCustomMetric withNewDesc(String newDesc) {
    return new StoreMetric(name, newDesc, unit, isSnapshot);
  }

  @Override
  public SQLMetric createSQLMetric(SparkContext context) {
    return switch (unit) {
      case COUNT -> SQLMetrics.createMetric(context, desc);
      case BYTES -> SQLMetrics.createSizeMetric(context, desc, 0L);
      case MILLIS -> SQLMetrics.createTimingMetric(context, desc, 0L);
    };
  }
}
