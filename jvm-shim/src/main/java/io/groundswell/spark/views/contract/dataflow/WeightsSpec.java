// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A changelog without a key: each row is an insert or a delete of itself.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param changeType ref of the column that says which
 */
public record WeightsSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    String changeType) implements OperatorSpec {
  private static final long serialVersionUID = 1L;

  public WeightsSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    Checks.present(changeType, "changeType");
  }

  @Override
  public String kind() {
    return "signs";
  }
}
