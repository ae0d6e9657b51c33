package io.groundswell.spark.shims;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;

/**
 * The leaf over which a stage's code is generated, once for all runs: asked to run the code on its
 * partitions, it keeps the code instead. Needs {@link #SETTING}, for otherwise Spark hides the code
 * in a closure.
 */
public final class StageCode extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

  /** What sessions of planned stages must have set to true. */
  public static final String SETTING = "spark.sql.execution.usePartitionEvaluator";

  private transient PartitionEvaluatorFactory<InternalRow, InternalRow> code;
  private transient RDD<?> made;

  public StageCode(SparkContext context) {
    super(context, Catalyst.nil(), Scala.classTag(InternalRow.class));
  }

  /**
   * The code of a stage whose only leaf is this; null if rows would pass through anything else, or
   * if Spark finds the code too large to be worth it.
   */
  public PartitionEvaluatorFactory<InternalRow, InternalRow> of(WholeStageCodegenExec stage) {
    RDD<?> result = stage.execute();
    return made != null && made == result ? code : null;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <U> RDD<U> mapPartitionsWithEvaluator(
      PartitionEvaluatorFactory<InternalRow, U> factory, ClassTag<U> type) {
    code = (PartitionEvaluatorFactory<InternalRow, InternalRow>) factory;
    RDD<U> result = context().emptyRDD(type);
    made = result;
    return result;
  }

  @Override
  public Partition[] getPartitions() {
    return new Partition[0];
  }

  @Override
  public Iterator<InternalRow> compute(Partition split, TaskContext context) {
    throw new UnsupportedOperationException("it has no rows");
  }

  /** Runs code on one partition. */
  public static Iterator<InternalRow> run(PartitionEvaluatorFactory<InternalRow, InternalRow> code,
      int partition, Iterator<InternalRow> rows) {
    Seq<Iterator<InternalRow>> inputs = Scala.seq(List.of(rows));
    return code.createEvaluator().eval(partition, inputs);
  }
}
