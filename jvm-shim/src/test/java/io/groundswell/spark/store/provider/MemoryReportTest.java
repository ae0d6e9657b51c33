package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.MemoryReport;
import io.groundswell.spark.views.dataflow.LocalSpark;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager$;
import org.apache.spark.storage.TestBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryReportTest {
  private final AtomicLong bytes = new AtomicLong(7 << 20);
  private SparkContext spark;
  private MemoryReport report;

  @BeforeEach
  void start() {
    spark = LocalSpark.start(
        new SparkConf().set("spark.memory.unmanagedMemoryPollingInterval", "10ms"));
    report = MemoryReport.start("test", bytes::get, SparkEnv.get());
  }

  @AfterEach
  void stop() {
    report.close();
    UnifiedMemoryManager$.MODULE$.clearUnmanagedMemoryUsers();
    spark.stop();
  }

  @Test
  void sparkAsksForTheBytesUntilTheReportEnds() {
    assertEquals(7 << 20, UnifiedMemoryManager$.MODULE$.getMemoryByComponentType("Groundswell"));
    bytes.set(9 << 20);
    assertEquals(9 << 20, UnifiedMemoryManager$.MODULE$.getMemoryByComponentType("Groundswell"));
  }

  /** Spark would let the task wait for what nobody gives back. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.25, 0.5})
  void aTaskGetsMemoryHoweverMuchIsReported(double cached) {
    UnifiedMemoryManager memory = (UnifiedMemoryManager) SparkEnv.get().memoryManager();
    long all = memory.maxHeapMemory();
    if (cached > 0) {
      assertTrue(memory.acquireStorageMemory(
          new TestBlockId("cached"), (long) (cached * all), MemoryMode.ON_HEAP));
    }
    bytes.set(2 * all);
    assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
      while (UnifiedMemoryManager$.MODULE$.getUnmanagedMemoryUsed() < all / 8) {
        Thread.sleep(5);
      }
      long got = memory.acquireExecutionMemory(all, 1, MemoryMode.ON_HEAP);
      assertTrue(got >= (1 - cached) * all / 2 - 1, () -> "task 1 got " + got + " of " + all);
    });
  }
}
