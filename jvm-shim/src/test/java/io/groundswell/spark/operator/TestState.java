package io.groundswell.spark.operator;

import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;

/** Where a test's operator keeps its state. */
interface TestState extends AutoCloseable {
  /** A batch on the last commit. */
  Transaction begin();

  /** The last commit. */
  Snapshot snapshot();

  @Override
  default void close() {}
}
