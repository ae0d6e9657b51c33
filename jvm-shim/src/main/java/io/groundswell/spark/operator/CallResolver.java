package io.groundswell.spark.operator;

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;

/** Finds the aggregate call that the dataflow names by its id; used on the driver only. */
@FunctionalInterface
public interface CallResolver {
  AggregateExpression resolve(String callId);
}
