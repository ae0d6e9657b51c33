// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * The rows of a batch query, in the first barrier that does not find its state.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param node of the captured plan
 * @param fields refs of the columns that are wanted
 * @param rowId ref of the column that gets the row's number; empty: nobody asks
 */
public record ConstantSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    String state, boolean anew, int node, List<String> fields, List<String> rowId)
    implements StatefulSpec {
  private static final long serialVersionUID = 1L;

  public ConstantSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    Checks.present(state, "state");
    fields = Checks.list(fields, "fields");
    rowId = Checks.list(rowId, "rowId");
  }

  @Override
  public String kind() {
    return "constant";
  }
}
