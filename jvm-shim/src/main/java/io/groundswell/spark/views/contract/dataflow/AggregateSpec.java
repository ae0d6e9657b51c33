// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.CallSpec;
import io.groundswell.spark.views.contract.dataflow.part.UnreadRowsSpec;
import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;
import java.util.List;

/**
 * Groups and aggregates. Its columns are the grouping ones, and the calls' results.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param watermark that ends rows; null: they are for ever
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param grouping refs of the columns to group by; none: there is one group
 * @param calls the calls
 * @param appendOnly whether no row is taken back, so that extremes need no values
 * @param unread which groups end because no one reads them; null: none
 * @param results refs by which {@code unread} calls the columns
 */
public record AggregateSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    WatermarkSpec watermark, String state, boolean anew, List<String> grouping,
    List<CallSpec> calls, boolean appendOnly, UnreadRowsSpec unread, List<String> results)
    implements StatefulSpec, BoundedSpec {
  private static final long serialVersionUID = 1L;

  public AggregateSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    Checks.present(state, "state");
    grouping = Checks.list(grouping, "grouping");
    calls = Checks.list(calls, "calls");
    results = Checks.list(results, "results");
  }

  @Override
  public String kind() {
    return "aggregate";
  }
}
