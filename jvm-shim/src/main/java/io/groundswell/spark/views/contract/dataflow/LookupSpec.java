// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.IndexColumn;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * Looks rows up in an index: its first input; the second one is what changes in the index.
 *
 * Without a second input it sees the index as it was before the barrier. Has no state.
 *
 * @param id its number in the dataflow
 * @param columns refs of the columns that it gives
 * @param inputs ids of the operators whose rows it takes; they stand before it
 * @param texts what it does, in SQL's words, for people
 * @param reads name of the state
 * @param joinType which rows it gives
 * @param flip whether rows are wanted that the changes of the index give another result
 * @param keys refs of the rows' columns, in the order of the index columns
 * @param deltaKeys refs of the index columns in the changes
 * @param key positions of the index's stream key in its rows
 * @param rowTypes of the columns of its rows
 * @param index positions of the index columns in them
 * @param row the columns to add
 * @param rowKeys refs of the index columns in what is given; empty: they are not all there
 * @param equal what else must be equal
 * @param where ids of what else must hold of a match
 * @param hot hashes of the keys of which every task takes a slice
 */
public record LookupSpec(int id, List<String> columns, List<Integer> inputs, List<String> texts,
    String reads, String joinType, boolean flip, List<String> keys, List<String> deltaKeys,
    List<Integer> key, List<DataType> rowTypes, List<Integer> index, List<IndexColumn> row,
    List<String> rowKeys, List<IndexColumn> equal, List<String> where, List<Integer> hot)
    implements ReadingSpec {
  private static final long serialVersionUID = 1L;

  public LookupSpec {
    columns = Checks.list(columns, "columns");
    inputs = Checks.list(inputs, "inputs");
    texts = Checks.list(texts, "texts");
    Checks.present(reads, "reads");
    Checks.present(joinType, "joinType");
    keys = Checks.list(keys, "keys");
    deltaKeys = Checks.list(deltaKeys, "deltaKeys");
    key = Checks.list(key, "key");
    rowTypes = Checks.list(rowTypes, "rowTypes");
    index = Checks.list(index, "index");
    row = Checks.list(row, "row");
    rowKeys = Checks.list(rowKeys, "rowKeys");
    equal = Checks.list(equal, "equal");
    where = Checks.list(where, "where");
    hot = Checks.list(hot, "hot");
  }

  @Override
  public String kind() {
    return "lookup";
  }
}
