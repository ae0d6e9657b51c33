package io.groundswell.spark.views.dataflow.exchange;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * A task that is the same in all barriers, see {@link Pooled}. Without rows it is not even
 * borrowed: code that folds rows makes its hash table before it looks for any.
 */
public record PooledTask(Pooled<OperatorRdd.PartitionTask> task)
    implements OperatorRdd.PartitionTask {
  private static final long serialVersionUID = 1L;

  public static PooledTask of(SparkContext context, OperatorRdd.PartitionTask task) {
    return new PooledTask(Pooled.of(context, task));
  }

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    return inputs.stream().anyMatch(Iterator::hasNext)
        ? task.get(context).run(partition, inputs, context)
        : Collections.emptyIterator();
  }

  @Override
  public RuntimeException failedBelow(Exception e, TaskContext context) {
    return task.get(context).failedBelow(e, context);
  }
}
