// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Keeps a view's rows.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param view its name
 * @param fields refs of the columns that readers see
 * @param changelog whether the changes of an epoch are kept for a sink
 * @param appendOnly whether no row is ever taken back: rows are written unread
 * @param anywhere whether all changes of a key are made in one partition and nobody reads by
 *     key: rows stay in the partition of the operator below, if that has as many
 * @param replace whether the input is all rows of the view: what differs is the change
 */
public record MaterializeSpec(int id, List<String> columns, List<Integer> inputs,
    List<String> texts, List<String> key, String state, boolean anew, String view,
    List<String> fields, boolean changelog, boolean appendOnly, boolean anywhere, boolean replace)
    implements StatefulSpec, KeyedSpec {
  private static final long serialVersionUID = 1L;

  public MaterializeSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    Checks.present(view, "view");
    fields = Checks.list(fields, "fields");
  }

  @Override
  public String kind() {
    return "materialize";
  }
}
