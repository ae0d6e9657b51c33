package io.groundswell.spark.shims;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.io.Serializable;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
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

  /** Whether rows go where the hash of their keys says, or all to one place. */
  public boolean isLocal() {
    Partitioning to = planned.outputPartitioning();
    return to instanceof HashPartitioning || to == SinglePartition$.MODULE$;
  }

  /** How many partitions there are. */
  public int targets() {
    return planned.outputPartitioning().numPartitions();
  }

  /** How many columns the rows have. */
  public int columns() {
    return planned.child().output().size();
  }

  /** Where a row goes; of one partition null. */
  public Placing placing() {
    return planned.outputPartitioning() instanceof HashPartitioning hash
        ? new Placing(
              Catalyst.bind(hash.partitionIdExpression(), Scala.list(planned.child().output())))
        : null;
  }

  /**
   * Gives the number of a row's partition.
   *
   * @param partition over the columns of a row
   */
  public record Placing(Expression partition) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Generated code that no task uses now. */
    private static final Cache<Expression, Deque<UnsafeProjection>> IDLE =
        CacheBuilder.newBuilder().maximumSize(1000).build();

    /** The code, which gives a row of one int; for one task at a time. */
    public UnsafeProjection lend() {
      UnsafeProjection code = idle().poll();
      return code == null ? UnsafeProjection.create(Scala.seq(List.of(partition))) : code;
    }

    public void giveBack(UnsafeProjection code) {
      idle().push(code);
    }

    /** By the expression: Spark cuts its text. */
    private Deque<UnsafeProjection> idle() {
      try {
        return IDLE.get(partition, ConcurrentLinkedDeque::new);
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }
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
