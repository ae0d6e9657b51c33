// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.StoredColumn;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * What a round changed of a recursion's rows, for its step. {@code key} says where they are.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param key refs of the columns that tell its rows apart
 * @param reads name of the state
 * @param table of the state
 * @param parts where each column stands
 * @param keyTypes types of the table's key columns
 * @param rowTypes types of its other columns
 */
public record RecursiveReferenceSpec(int id, List<String> columns, List<Integer> inputs,
    List<String> texts, List<String> key, String reads, String table, List<StoredColumn> parts,
    List<DataType> keyTypes, List<DataType> rowTypes) implements StoredSpec, KeyedSpec {
  private static final long serialVersionUID = 1L;

  public RecursiveReferenceSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    key = Checks.list(key, "key");
    Checks.present(reads, "reads");
    Checks.present(table, "table");
    parts = Checks.list(parts, "parts");
    keyTypes = Checks.list(keyTypes, "keyTypes");
    rowTypes = Checks.list(rowTypes, "rowTypes");
  }

  @Override
  public String kind() {
    return "feedback";
  }
}
