package io.groundswell.spark.views.dataflow.source;

import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows of what columnar files give, read where they stand: the chain behind makes rows of what it
 * needs of them, so none is written before. A row is good until the next.
 *
 * @param columns which of a batch's, in their order
 */
record BatchRows(int[] columns) implements OperatorRdd.PartitionTask {
  private static final long serialVersionUID = 1L;

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    return new Rows(inputs.get(0), columns);
  }

  /** A partition's rows. */
  static final class Rows implements Iterator<InternalRow> {
    private final Iterator<?> batches; // Spark's scans give them in the place of rows
    private final int[] columns;
    private Iterator<InternalRow> rows = Collections.emptyIterator();
    private boolean first;

    Rows(Iterator<?> batches, int[] columns) {
      this.batches = batches;
      this.columns = columns;
    }

    @Override
    public boolean hasNext() {
      while (!rows.hasNext()) {
        if (!batches.hasNext()) {
          return false;
        }
        ColumnarBatch batch = (ColumnarBatch) batches.next();
        ColumnVector[] chosen = new ColumnVector[columns.length];
        for (int i = 0; i < chosen.length; i++) {
          chosen[i] = batch.column(columns[i]);
        }
        rows = new ColumnarBatch(chosen, batch.numRows()).rowIterator();
        first = true;
      }
      return true;
    }

    @Override
    public InternalRow next() {
      return rows.next();
    }

    /** Whether a batch, and so perhaps a file, began since this was asked last. */
    boolean began() {
      boolean now = first;
      first = false;
      return now;
    }
  }
}
