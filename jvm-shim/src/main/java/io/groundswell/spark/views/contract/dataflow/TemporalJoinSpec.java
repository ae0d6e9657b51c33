// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Looks each left row up in the right rows as they are, once.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param joinType which rows it gives
 * @param leftKeys refs of the left columns that must equal the right ones; null equals nothing
 * @param rightKeys refs of these; none: every row meets every other
 * @param leftKey refs of what tells left rows apart
 * @param rightKey refs of what tells right rows apart
 * @param residual id of what else a pair must meet; null: nothing
 * @param appendOnly whether no left row is taken back, so that nobody asks what it met
 */
public record TemporalJoinSpec(int id, List<String> columns, List<Integer> inputs,
    List<String> texts, String state, boolean anew, String joinType, List<String> leftKeys,
    List<String> rightKeys, List<String> leftKey, List<String> rightKey, String residual,
    boolean appendOnly) implements TwoSidedSpec {
  private static final long serialVersionUID = 1L;

  public TemporalJoinSpec {
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
    return "temporal_join";
  }
}
