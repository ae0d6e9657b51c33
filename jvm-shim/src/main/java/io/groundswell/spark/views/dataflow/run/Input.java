package io.groundswell.spark.views.dataflow.run;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;

/**
 * What an operator reads: another one's rows, through a stateless chain and an exchange, if any.
 *
 * @param segment null if the rows are taken as they are
 */
public record Input(Node from, Segment segment) {
  Partitioning partitioning() {
    return segment == null ? from.partitioning : segment.partitioning();
  }

  /** As {@link Node#isSpread}. */
  boolean isSpread() {
    return segment != null && segment.exchanges() > 0 || from.isSpread();
  }

  /** Null if there are none for sure. */
  RDD<InternalRow> rows(Barrier barrier) {
    RDD<InternalRow> rows = barrier.rows(from);
    if (rows == null || segment == null) {
      return rows;
    }
    return segment.run(segment.exchanges() > 0 ? barrier.tasks(from, rows) : rows, barrier);
  }

  String describe() {
    String plan = segment == null ? "" : segment.toString().strip().indent(4).stripTrailing();
    return "\n  <- " + from.label + (plan.isEmpty() ? "" : "\n" + plan);
  }
}
