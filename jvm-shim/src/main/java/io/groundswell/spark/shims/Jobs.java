package io.groundswell.spark.shims;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/** Jobs that are run for what their tasks do, not for what they give. */
public final class Jobs {
  private static final String TAG = "groundswell-job-";
  private static final AtomicLong NUMBERS = new AtomicLong();

  private Jobs() {}

  /** What a task does last. */
  @FunctionalInterface
  public interface AtEnd extends Serializable {
    void run(TaskContext context);
  }

  /**
   * Takes all rows of all partitions. What Spark's {@code foreachPartition} does, but for its
   * closures, whose class files it reads and checks at every call. Spark leaves the job of a thread
   * that is interrupted running; here it is cancelled, as nobody waits for it any more.
   *
   * @param atEnd done by each task when it has taken its rows
   */
  public static void drain(RDD<InternalRow> rows, AtEnd atEnd) {
    List<Object> partitions = new ArrayList<>();
    for (int i = 0; i < rows.getNumPartitions(); i++) {
      partitions.add(i);
    }
    SparkContext context = rows.context();
    String tag = TAG + NUMBERS.incrementAndGet();
    context.addJobTag(tag);
    try {
      context.runJob(rows, new Drain(atEnd), Scala.seq(partitions), new Ignored(),
          Scala.classTag(BoxedUnit.class));
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        context.cancelJobsWithTag(tag);
      }
      throw Scala.unchecked(e);
    } finally {
      context.removeJobTag(tag);
    }
  }

  private static final class Drain
      extends AbstractFunction2<TaskContext, Iterator<InternalRow>, BoxedUnit>
      implements Serializable {
    private static final long serialVersionUID = 1L;

    private final AtEnd atEnd;

    Drain(AtEnd atEnd) {
      this.atEnd = atEnd;
    }

    @Override
    public BoxedUnit apply(TaskContext context, Iterator<InternalRow> rows) {
      while (rows.hasNext()) {
        rows.next();
      }
      atEnd.run(context);
      return BoxedUnit.UNIT;
    }
  }

  private static final class Ignored extends AbstractFunction2<Object, BoxedUnit, BoxedUnit> {
    @Override
    public BoxedUnit apply(Object partition, BoxedUnit result) {
      return BoxedUnit.UNIT;
    }
  }
}
