package io.groundswell.spark.views.operator.view;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** How a partition of a view keeps its rows. Arguments are copied where they are kept. */
interface ViewStore {
  /** Comes before each change, with the row of the view's input that it is in. */
  default void enter(InternalRow row) {}

  /** Adds a row; false if its key is found to have one. */
  boolean insert(UnsafeRow key, UnsafeRow row);

  /** Puts a row in the place of its key's; false if the key is found to have none. */
  boolean replace(UnsafeRow key, UnsafeRow row);

  /** Removes a key's row; false if it is found to have none. */
  boolean remove(UnsafeRow key);

  /** Writes what is left; no more changes come. */
  default void finish() {}
}
