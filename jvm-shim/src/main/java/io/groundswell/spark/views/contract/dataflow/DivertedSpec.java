// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.AttemptSpec;
import io.groundswell.spark.views.contract.dataflow.part.LabelledColumn;
import java.util.List;

/**
 * Says of each row which expression fails, how, and what the row is. Has no state.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param attempts the expressions
 * @param row the columns to show
 * @param constraint the expectation whose failing rows it finds among all rows that it is given;
 *     "": it is given only rows that fail
 * @param owner the view of that
 */
public record DivertedSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    List<AttemptSpec> attempts, List<LabelledColumn> row, String constraint, String owner)
    implements OperatorSpec {
  private static final long serialVersionUID = 1L;

  public DivertedSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    attempts = Checks.list(attempts, "attempts");
    row = Checks.list(row, "row");
    Checks.present(constraint, "constraint");
    Checks.present(owner, "owner");
  }

  @Override
  public String kind() {
    return "diverted";
  }
}
