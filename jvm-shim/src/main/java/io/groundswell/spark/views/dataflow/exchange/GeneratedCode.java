package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.StageCode;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.jdk.javaapi.CollectionConverters;

/** One stage of Spark's generated code, run over the rows of a partition. */
public record GeneratedCode(PartitionEvaluatorFactory<InternalRow, InternalRow> code)
    implements OperatorRdd.PartitionTask {
  private static final long serialVersionUID = 1L;

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    return over(partition, inputs.get(0));
  }

  public Iterator<InternalRow> over(int partition, Iterator<InternalRow> rows) {
    return CollectionConverters.asJava(
        StageCode.run(code, partition, CollectionConverters.asScala(rows)));
  }
}
