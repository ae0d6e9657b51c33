// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.HiddenColumn;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What one pipeline runs.
 *
 * @param root the pipeline's folder
 * @param states what the states' folder is in
 * @param rescaled whether states had another number of partitions before
 * @param partitions of every state
 * @param tasks how many a stage may have, for it runs beside another dataflow; 0: it does not
 * @param refs the columns that the planner made up, by ref
 * @param operators in topological order
 */
public record DataflowSpec(String root, String states, boolean rescaled, int partitions, int tasks,
    Map<String, HiddenColumn> refs, List<OperatorSpec> operators) implements Serializable {
  private static final long serialVersionUID = 1L;

  public DataflowSpec {
    Checks.present(root, "root");
    Checks.present(states, "states");
    refs = Checks.map(refs, "refs");
    operators = Checks.list(operators, "operators");
  }
}
