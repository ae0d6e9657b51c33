package io.groundswell.spark.dataflow;

import com.google.common.collect.Iterators;
import io.groundswell.spark.operator.Column;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;

/** Rows between operators. */
final class Rows {
  private Rows() {}

  /** Rows of their own, that may be kept. */
  static RDD<InternalRow> copied(RDD<InternalRow> rows, List<DataType> types) {
    return new OperatorRdd(List.of(rows), new Copy(types.toArray(DataType[] ::new)));
  }

  static List<DataType> types(List<Column> columns) {
    return columns.stream().map(Column::type).toList();
  }

  private record Copy(DataType[] types) implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Iterator<InternalRow> rows = inputs.get(0);
      UnsafeProjection projection = UnsafeProjection.create(types);
      return Iterators.transform(rows, row -> projection.apply(row).copy());
    }
  }
}
