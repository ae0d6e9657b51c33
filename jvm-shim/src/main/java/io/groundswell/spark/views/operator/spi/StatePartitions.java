package io.groundswell.spark.views.operator.spi;

import io.groundswell.engine.Transaction;

/** The partitions of the state that an operator's task may read. */
public interface StatePartitions {
  /** The task's own partition. */
  int number();

  int count();

  /** The task's own partition, to read and to write; null if the operator has no state. */
  Transaction own();

  /** Any partition, as of the base; to be left as it is. */
  Transaction at(int partition);
}
