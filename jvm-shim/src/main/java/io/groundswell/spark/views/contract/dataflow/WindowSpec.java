// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.RankLimitSpec;
import io.groundswell.spark.views.contract.dataflow.part.SessionSpec;
import io.groundswell.spark.views.contract.dataflow.part.SortColumn;
import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;
import java.util.List;

/**
 * Adds columns that depend on the other rows of a partition.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param watermark that ends rows; null: they are for ever
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param partition refs of the columns that rows of a partition share
 * @param order within a partition; ties are broken by the key
 * @param functions ids of the functions
 * @param limit how far ranks are asked for; null: there is no limit
 * @param session what is found in place of functions; null: no sessions
 */
public record WindowSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    WatermarkSpec watermark, List<String> key, String state, boolean anew, List<String> partition,
    List<SortColumn> order, List<String> functions, RankLimitSpec limit, SessionSpec session)
    implements StatefulSpec, KeyedSpec, BoundedSpec {
  private static final long serialVersionUID = 1L;

  public WindowSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    partition = Checks.list(partition, "partition");
    order = Checks.list(order, "order");
    functions = Checks.list(functions, "functions");
  }

  @Override
  public String kind() {
    return "window";
  }
}
