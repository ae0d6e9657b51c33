package io.groundswell.spark.views.operator.spi;

import io.groundswell.spark.views.contract.barrier.Watermarks;

/** A row operator to which the passing of event time means something. */
public interface EventTimeOperator extends RowOperator {
  /**
   * Called on the driver before each barrier, and before the operator is sent to its tasks.
   *
   * @return true if it must run in every partition, with input or without
   */
  boolean prepare(Watermarks watermarks);
}
