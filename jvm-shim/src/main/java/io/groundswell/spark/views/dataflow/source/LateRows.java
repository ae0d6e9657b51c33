package io.groundswell.spark.views.dataflow.source;

import com.google.common.collect.Iterators;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;

/**
 * Rows that came behind their source's watermark. Where an operator wants them, the source gives
 * them beside the others, once, with the weight 0.
 */
public record LateRows(boolean late, DataType[] types) implements OperatorRdd.PartitionTask {
  private static final long serialVersionUID = 1L;

  /** The rows in time. */
  public static RDD<InternalRow> without(RDD<InternalRow> rows) {
    return new OperatorRdd(List.of(rows), new LateRows(false, null));
  }

  /** The late ones, as inserts. */
  public static RDD<InternalRow> only(RDD<InternalRow> rows, List<DataType> types) {
    return new OperatorRdd(List.of(rows), new LateRows(true, types.toArray(DataType[] ::new)));
  }

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    Iterator<InternalRow> rows = inputs.get(0);
    if (!late) {
      return Iterators.filter(rows, row -> row.getInt(row.numFields() - 1) != 0);
    }
    UnsafeProjection projection = UnsafeProjection.create(types);
    int weight = types.length - 1;
    return Iterators.transform(Iterators.filter(rows, row -> row.getInt(weight) == 0), row -> {
      InternalRow own = projection.apply(row).copy();
      own.setInt(weight, 1);
      return own;
    });
  }
}
