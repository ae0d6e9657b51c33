package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.Loaders;
import io.groundswell.spark.shims.StageCode;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.jdk.javaapi.CollectionConverters;

/**
 * One stage of Spark's generated code, run over the rows of a partition.
 *
 * @param planner the thread that planned it, and had it compiled
 */
public record GeneratedCode(PartitionEvaluatorFactory<InternalRow, InternalRow> code,
    Loaders planner) implements OperatorRdd.PartitionTask {
  private static final long serialVersionUID = 1L;

  /** Takes code that the calling thread has planned. */
  public GeneratedCode(PartitionEvaluatorFactory<InternalRow, InternalRow> code) {
    this(code, Loaders.ofThread());
  }

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    return over(partition, inputs.get(0));
  }

  public Iterator<InternalRow> over(int partition, Iterator<InternalRow> rows) {
    return CollectionConverters.asJava(
        planner.within(() -> StageCode.run(code, partition, CollectionConverters.asScala(rows))));
  }
}
