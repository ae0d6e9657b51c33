package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.dataflow.SparkTest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JobsTest extends SparkTest {
  private static final CountDownLatch STARTED = new CountDownLatch(1);
  private static final CompletableFuture<Boolean> CANCELLED = new CompletableFuture<>();

  private static RDD<InternalRow> rows() {
    return Catalyst.parallelize(spark, List.of(new GenericInternalRow(new Object[] {1L})), 1);
  }

  /** A task that goes on until it is cancelled. */
  private static void linger(TaskContext context) {
    STARTED.countDown();
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!context.isInterrupted() && System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    CANCELLED.complete(context.isInterrupted());
  }

  @Test
  @Timeout(120)
  void theJobOfAnInterruptedThreadIsCancelled() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        Jobs.drain(rows(), JobsTest::linger);
        thrown.complete(null);
      } catch (Throwable e) {
        thrown.complete(e);
      }
    });
    thread.start();
    STARTED.await();
    thread.interrupt();
    assertInstanceOf(InterruptedException.class, thrown.get());
    assertTrue(CANCELLED.get());
  }

  @Test
  void aJobThatFailsThrowsWhatItsTaskThrew() {
    SparkException failed = assertThrows(SparkException.class, () -> Jobs.drain(rows(), context -> {
      throw new IllegalArgumentException("of the task");
    }));
    assertEquals("of the task", failed.getCause().getMessage());
    assertNull(spark.getLocalProperty("spark.job.tags"));
  }
}
