// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Rows whose time is after the clock, and an offset.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param time ref of the time
 * @param offset microseconds
 * @param inclusive whether the very time counts, too
 * @param limit how many rows of a partition a barrier takes back at most
 * @param made id of what of the clock rows are compared with; null: the clock
 * @param begins whether rows wait until the clock has reached them, in place of ending then
 */
public record TemporalFilterSpec(int id, List<String> columns, List<Integer> inputs,
    List<String> texts, List<String> key, String state, boolean anew, String time, long offset,
    boolean inclusive, int limit, String made, boolean begins) implements StatefulSpec, KeyedSpec {
  private static final long serialVersionUID = 1L;

  public TemporalFilterSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    Checks.present(time, "time");
  }

  @Override
  public String kind() {
    return "temporal_filter";
  }
}
