package io.groundswell.spark.views.dataflow.exchange;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/** A task that is the same in all barriers and needs input: see {@link Lent}. */
public record LentTask(Lent<OperatorRdd.PartitionTask> task) implements OperatorRdd.PartitionTask {
  private static final long serialVersionUID = 1L;

  public static LentTask of(SparkContext context, OperatorRdd.PartitionTask task) {
    return new LentTask(Lent.of(context, task));
  }

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    return task.get(context).run(partition, inputs, context);
  }

  @Override
  public RuntimeException failedBelow(Exception e, TaskContext context) {
    return task.get(context).failedBelow(e, context);
  }
}
