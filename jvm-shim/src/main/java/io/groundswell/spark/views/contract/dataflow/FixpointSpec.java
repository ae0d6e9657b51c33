// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.SortColumn;
import java.util.List;

/**
 * Keeps derivations by key, level and rank, and settles a level a round.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param level ref of the level
 * @param rank columns by which the best of a key is found; empty: all are equal
 * @param bag whether equal rows count, each
 * @param limit how many levels there may be
 */
public record FixpointSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    List<String> key, String state, boolean anew, String level, List<SortColumn> rank, boolean bag,
    int limit) implements StatefulSpec, KeyedSpec {
  private static final long serialVersionUID = 1L;

  public FixpointSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    Checks.present(level, "level");
    rank = Checks.list(rank, "rank");
  }

  @Override
  public String kind() {
    return "fixpoint";
  }
}
