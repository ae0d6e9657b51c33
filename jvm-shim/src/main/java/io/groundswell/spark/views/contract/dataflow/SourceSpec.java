// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * The rows of a source in a barrier, each with weight +1.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param source its id
 * @param name its name
 * @param tag which of the branches of a batch it is
 * @param rowId refs of the columns that get the epoch and the row's position in the barrier:
 *     files by time of modification, then by path; else by split. Empty: nobody asks.
 * @param eventTime ref of the column with a watermark; null: it has none
 * @param late whether just the rows behind the watermark are wanted
 */
public record SourceSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    String source, String name, int tag, List<String> rowId, String eventTime, boolean late)
    implements OperatorSpec {
  private static final long serialVersionUID = 1L;

  public SourceSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    Checks.present(source, "source");
    Checks.present(name, "name");
    rowId = Checks.list(rowId, "rowId");
  }

  @Override
  public String kind() {
    return "source";
  }
}
