package io.groundswell.spark.operator;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;

/** Finds the expressions that the dataflow names by their ids; used on the driver only. */
@FunctionalInterface
public interface CallResolver {
  /** An aggregate call. */
  AggregateExpression resolve(String callId);

  /** A condition, bound to rows of these columns. */
  default Expression condition(String id, List<Column> columns) {
    throw new IllegalArgumentException("expression " + id + " is not to be had here");
  }
}
