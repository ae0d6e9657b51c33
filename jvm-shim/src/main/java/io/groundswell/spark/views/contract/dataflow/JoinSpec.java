// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.IntervalSpec;
import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;
import java.util.List;

/**
 * Changes of one side meet the other's rows. An inner join has no residual: that is a filter.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param watermark that ends rows; null: they are for ever
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param joinType which rows it gives
 * @param leftKeys refs of the left columns that must equal the right ones; null equals nothing
 * @param rightKeys refs of these; none: every row meets every other
 * @param leftKey refs of what tells left rows apart
 * @param rightKey refs of what tells right rows apart
 * @param residual id of what else a pair must meet; null: nothing
 * @param leftAppendOnly whether left rows are new, each
 * @param rightAppendOnly whether right rows are
 * @param interval two times that must be near; null: there are none
 */
public record JoinSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    WatermarkSpec watermark, String state, boolean anew, String joinType, List<String> leftKeys,
    List<String> rightKeys, List<String> leftKey, List<String> rightKey, String residual,
    boolean leftAppendOnly, boolean rightAppendOnly, IntervalSpec interval)
    implements TwoSidedSpec, BoundedSpec {
  private static final long serialVersionUID = 1L;

  public JoinSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    Checks.present(state, "state");
    Checks.present(joinType, "joinType");
    leftKeys = Checks.list(leftKeys, "leftKeys");
    rightKeys = Checks.list(rightKeys, "rightKeys");
    leftKey = Checks.list(leftKey, "leftKey");
    rightKey = Checks.list(rightKey, "rightKey");
  }

  @Override
  public String kind() {
    return "join";
  }
}
