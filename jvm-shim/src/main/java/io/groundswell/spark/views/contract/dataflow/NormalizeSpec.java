// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;
import java.util.List;

/**
 * Rows of a source with a key as changes of a kept table.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param watermark that ends rows; null: they are for ever
 * @param key refs of the columns that tell its rows apart
 * @param state name of its state
 * @param anew whether the state is begun again, whatever is there
 * @param mode whether rows are upserts, or say themselves what they change. A changelog is
 *     checked against the table and netted.
 * @param delete ref of the column that is true in deletes, if there are any
 * @param changeType ref of the column that says what a row of a changelog is
 * @param position the source's row id: orders the rows of a barrier
 * @param source name of the source
 * @param conflict what an upsert does to a row that is there
 * @param version refs of the columns by which older rows lose; none: the last one wins
 * @param life microseconds after which a row ends; 0: never
 * @param tolerate whether a changelog that contradicts itself is made to fit
 * @param unchanged ref of the column that names what an upsert leaves as it is in the row that
 *     is there, if there is one; null: upserts are whole rows
 * @param names by which it names the columns, in their order
 */
public record NormalizeSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    WatermarkSpec watermark, List<String> key, String state, boolean anew, String mode,
    String delete, String changeType, List<String> position, String source, String conflict,
    List<String> version, long life, boolean tolerate, String unchanged, List<String> names)
    implements StatefulSpec, KeyedSpec, BoundedSpec {
  private static final long serialVersionUID = 1L;

  public NormalizeSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(state, "state");
    Checks.present(mode, "mode");
    position = Checks.list(position, "position");
    Checks.present(source, "source");
    Checks.present(conflict, "conflict");
    version = Checks.list(version, "version");
    names = Checks.list(names, "names");
  }

  @Override
  public String kind() {
    return "normalize";
  }
}
