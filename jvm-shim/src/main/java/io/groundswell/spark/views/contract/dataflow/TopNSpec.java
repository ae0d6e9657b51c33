// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.SortColumn;
import java.util.List;

/**
 * Those of all rows.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param order ties are broken by the key
 * @param limit how many rows
 * @param offset how many before these are left out
 */
public record TopNSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    List<String> key, String state, boolean anew, List<SortColumn> order, long limit, long offset)
    implements FirstOfOrderSpec {
  private static final long serialVersionUID = 1L;

  public TopNSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    order = Checks.list(order, "order");
  }

  @Override
  public String kind() {
    return "top_n";
  }
}
