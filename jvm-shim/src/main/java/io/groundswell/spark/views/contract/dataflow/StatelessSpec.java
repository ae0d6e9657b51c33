// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Does steps one after the other.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param steps these
 */
public record StatelessSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    List<Step> steps) implements OperatorSpec {
  private static final long serialVersionUID = 1L;

  public StatelessSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    steps = Checks.list(steps, "steps");
  }

  @Override
  public String kind() {
    return "stateless";
  }
}
