// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Keeps what Python functions gave, for as long as their rows.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param given refs of the columns that are not kept: the functions' input
 */
public record StoredResultsSpec(int id, List<String> columns, List<Integer> inputs,
    List<String> texts, List<String> key, String state, boolean anew, List<String> given)
    implements StatefulSpec, KeyedSpec {
  private static final long serialVersionUID = 1L;

  public StoredResultsSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    given = Checks.list(given, "given");
  }

  @Override
  public String kind() {
    return "remember";
  }
}
