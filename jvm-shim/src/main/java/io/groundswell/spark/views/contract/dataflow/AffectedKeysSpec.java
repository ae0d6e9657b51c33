// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * The keys that changes have, each once. Has no state.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 */
public record AffectedKeysSpec(int id, List<String> columns, List<Integer> inputs,
    List<String> texts, List<String> key) implements KeyedSpec {
  private static final long serialVersionUID = 1L;

  public AffectedKeysSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
  }

  @Override
  public String kind() {
    return "touched";
  }
}
