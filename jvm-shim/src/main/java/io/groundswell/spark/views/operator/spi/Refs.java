package io.groundswell.spark.views.operator.spi;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.contract.Documents;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the columns that an operator names, and refuses what it says of them.
 *
 * @param operator the document: an operator of a dataflow, or the part of it that names the columns
 */
public record Refs(Serializable operator) {
  /** Position of a column. */
  public int position(String ref, List<Column> columns) {
    if (ref == null) {
      throw invalid("needs a ref, got null");
    }
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).ref().equals(ref)) {
        return i;
      }
    }
    throw invalid(
        "names the column " + ref + "; there are " + columns.stream().map(Column::ref).toList());
  }

  /** Position of a column; -1 if {@code ref} is null. */
  public int positionOrNone(String ref, List<Column> columns) {
    return ref == null ? -1 : position(ref, columns);
  }

  /** Positions of columns. */
  public int[] positions(List<String> refs, List<Column> columns) {
    return refs.stream().mapToInt(ref -> position(ref, columns)).toArray();
  }

  /** Where each of {@code wanted} stands in {@code columns}. */
  public int[] positionsOf(List<Column> wanted, List<Column> columns) {
    return wanted.stream().mapToInt(column -> position(column.ref(), columns)).toArray();
  }

  /** Refuses an output that is not exactly the input's columns, in their order. */
  public void checkSame(List<Column> output, List<Column> input) {
    if (!Arrays.equals(positionsOf(output, input), Projections.all(input.size()))) {
      throw invalid("must give the columns of its input");
    }
  }

  public EngineException invalid(String what) {
    return new EngineException(
        ErrorCode.INVALID_ARGUMENT, "operator " + Documents.show(operator) + " " + what);
  }
}
