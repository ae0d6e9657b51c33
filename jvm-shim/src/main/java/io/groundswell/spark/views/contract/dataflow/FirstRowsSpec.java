// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.SortColumn;
import io.groundswell.spark.views.contract.dataflow.part.UnreadRowsSpec;
import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;
import java.util.List;

/**
 * The first rows of each partition, numbered; of rows that are only added.
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
 * @param limit how many of a partition
 * @param unread which of them end; only with a limit of 1. null: each stays until one replaces
 *     it.
 */
public record FirstRowsSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    WatermarkSpec watermark, List<String> key, String state, boolean anew, List<String> partition,
    List<SortColumn> order, int limit, UnreadRowsSpec unread)
    implements StatefulSpec, KeyedSpec, BoundedSpec {
  private static final long serialVersionUID = 1L;

  public FirstRowsSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    partition = Checks.list(partition, "partition");
    order = Checks.list(order, "order");
  }

  @Override
  public String kind() {
    return "first_rows";
  }
}
