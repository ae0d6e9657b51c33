package io.groundswell.spark.views.operator.window;

import io.groundswell.spark.views.operator.state.ChangeBuffer;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The rows of a window's partitions. */
interface WindowState {
  /** Neighbouring rows of a partition in order, as they were and as they are. */
  record Slice(List<UnsafeRow> before, List<UnsafeRow> after) {}

  /**
   * Writes the changes of a partition.
   *
   * @return rows such that functions over each slice change as they do over the whole partition; a
   *     row whose values change does so in one slice, unless it moves from one to another
   */
  List<Slice> change(int hash, UnsafeRow partition, ChangeBuffer changes);
}
