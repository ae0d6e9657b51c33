package io.groundswell.spark.dataflow;

import io.groundswell.spark.operator.Column;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.util.CollectionAccumulator;

/** What the rows of a source, of an operator, and rows that are kept go through. */
final class Source {
  private static final int ORDINAL_BITS = 40;

  private Source() {}

  /** Counts what is read. */
  static RDD<InternalRow> counted(
      RDD<InternalRow> rows, int tag, CollectionAccumulator<TaskReport> reports) {
    return new OperatorRdd(List.of(rows), new Count(tag, reports));
  }

  /**
   * Adds the weight +1 and, before it, the hidden row id: the epoch, and (split &lt;&lt; 40) |
   * ordinal. A row id is a function of what the source hands out, never of a clock or an attempt.
   */
  static RDD<InternalRow> changes(RDD<InternalRow> rows, long epoch, boolean rowId) {
    return new OperatorRdd(List.of(rows), new Number(epoch, rowId));
  }

  /** Rows of their own, that may be kept. */
  static RDD<InternalRow> copied(RDD<InternalRow> rows, List<DataType> types) {
    return new OperatorRdd(List.of(rows), new Copy(types.toArray(DataType[] ::new)));
  }

  static List<DataType> types(List<Column> columns) {
    return columns.stream().map(Column::type).toList();
  }

  private record Count(int tag, CollectionAccumulator<TaskReport> reports)
      implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Iterator<InternalRow> rows = inputs.get(0);
      return new Iterator<>() {
        private long count;
        private boolean done;

        @Override
        public boolean hasNext() {
          if (!done && !rows.hasNext()) {
            done = true;
            reports.add(TaskReport.ofSource(tag, partition, count));
          }
          return !done;
        }

        @Override
        public InternalRow next() {
          count++;
          return rows.next();
        }
      };
    }
  }

  private record Number(long epoch, boolean rowId) implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Iterator<InternalRow> rows = inputs.get(0);
      GenericInternalRow added = new GenericInternalRow(rowId ? 3 : 1);
      if (rowId) {
        added.setLong(0, epoch);
      }
      added.setInt(rowId ? 2 : 0, 1);
      JoinedRow joined = new JoinedRow();
      return new Iterator<>() {
        private long position = (long) partition << ORDINAL_BITS;

        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public InternalRow next() {
          if (rowId) {
            added.setLong(1, position++);
          }
          return joined.apply(rows.next(), added);
        }
      };
    }
  }

  private record Copy(DataType[] types) implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Iterator<InternalRow> rows = inputs.get(0);
      UnsafeProjection projection = UnsafeProjection.create(types);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public InternalRow next() {
          return projection.apply(rows.next()).copy();
        }
      };
    }
  }
}
