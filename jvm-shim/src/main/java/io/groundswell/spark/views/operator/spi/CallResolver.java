package io.groundswell.spark.views.operator.spi;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;

/** Finds what the dataflow names by ids and refs; used on the driver only. */
@FunctionalInterface
public interface CallResolver {
  /** An aggregate call. */
  AggregateExpression resolve(String callId);

  /** A condition, bound to rows of these columns. */
  default Expression condition(String id, List<Column> columns) {
    throw new IllegalArgumentException("expression " + id + " is not to be had here");
  }

  /** Any expression of the captured query, over attributes. */
  default Expression expression(String id) {
    throw new IllegalArgumentException("expression " + id + " is not to be had here");
  }

  /** The attribute that expressions call a column by. */
  default Attribute attribute(String ref) {
    throw new IllegalArgumentException("no attribute " + ref);
  }
}
