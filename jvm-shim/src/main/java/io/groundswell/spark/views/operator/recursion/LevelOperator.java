package io.groundswell.spark.views.operator.recursion;

import io.groundswell.spark.views.operator.spi.RowOperator;

/** A row operator that runs several times in a barrier, once for each level that it settles. */
public interface LevelOperator extends RowOperator {
  /** Called on the driver before each run, and before the operator is sent to its tasks. */
  void prepare(int level);

  /** How many levels it may settle before it is taken for one that never ends. */
  int limit();
}
