package io.groundswell.spark.compat;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ShuffledRowRDD;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;

/**
 * What a planned exchange does, with the rows of the day: {@code ShuffleExchangeExec} itself
 * remembers its first run. Since 4.3 preparing takes one argument more, whether the two stages
 * overlap: they do not.
 */
public final class Exchange {
  private static final Widened PREPARE =
      new Widened(ShuffleExchangeExec.class, "prepareShuffleDependency");

  private final ShuffleExchangeExec planned;
  private final Serializer serializer;

  public Exchange(ShuffleExchangeExec planned) {
    this.planned = planned;
    this.serializer = new UnsafeRowSerializer(
        planned.child().output().size(), planned.metrics().apply("dataSize"));
  }

  /** The rows, as unsafe rows, where the exchange puts them. */
  @SuppressWarnings("unchecked")
  public RDD<InternalRow> of(RDD<InternalRow> rows) {
    var dependency = (ShuffleDependency<Object, InternalRow, InternalRow>) PREPARE.call(null, rows,
        planned.child().output(), planned.outputPartitioning(), serializer, planned.metrics(),
        false);
    return new ShuffledRowRDD(dependency, planned.readMetrics());
  }
}
