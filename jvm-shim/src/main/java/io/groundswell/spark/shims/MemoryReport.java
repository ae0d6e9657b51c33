package io.groundswell.spark.shims;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.memory.UnmanagedMemoryConsumer;
import org.apache.spark.memory.UnmanagedMemoryConsumerId;

/**
 * Tells Spark's memory manager of bytes that it does not manage itself, so that it hands out less.
 * Spark asks for the number as often as {@code spark.memory.unmanagedMemoryPollingInterval} says.
 *
 * <p>The report has a bound, {@link #most}. Spark takes the reported bytes from what tasks may have
 * at most, and not from what each waits for at least: half of an even share of the execution pool.
 * Were the first below the second, a task would wait for memory that nobody is to give back.
 */
public final class MemoryReport implements AutoCloseable {
  private final AtomicReference<LongSupplier> bytes;

  private MemoryReport(AtomicReference<LongSupplier> bytes) {
    this.bytes = bytes;
  }

  /**
   * Starts to report; a Spark that does not want to know (4.2) is left alone.
   *
   * @param heapBytes what is held now
   * @param spark whose memory manager bounds what is told, once it is there
   */
  public static MemoryReport start(String instance, LongSupplier heapBytes, SparkEnv spark) {
    double kept = spark.conf().getDouble("spark.memory.storageFraction", 0.5);
    AtomicReference<LongSupplier> bytes = new AtomicReference<>(
        () -> Math.min(heapBytes.getAsLong(), most(spark.memoryManager(), kept)));
    try {
      Consumer.register(instance, bytes);
    } catch (LinkageError e) {
      // the reason why all names of 4.3 stand in a class of their own
    }
    return new MemoryReport(bytes);
  }

  /**
   * The most that may be reported: half of what cached blocks cannot take from tasks, in bytes.
   *
   * <p>Be {@code m} Spark's memory, {@code s} what cached blocks take of it, {@code f} the part
   * that tasks cannot take back from them, {@code u} the report. The execution pool has at most
   * {@code m - s}, and tasks get at most {@code m - min(s, f m) - u}. The latter is at least half
   * of the former for each {@code s} if {@code u <= m (1 - f) / 2}.
   */
  private static long most(MemoryManager manager, double kept) {
    return manager instanceof UnifiedMemoryManager unified
        ? (long) (unified.maxHeapMemory() * (1 - kept) / 2)
        : 0;
  }

  /** Ends the report: Spark forgets who answers with -1. */
  @Override
  public void close() {
    bytes.set(null);
  }

  private record Consumer(UnmanagedMemoryConsumerId unmanagedMemoryConsumerId,
      AtomicReference<LongSupplier> bytes) implements UnmanagedMemoryConsumer {
    static void register(String instance, AtomicReference<LongSupplier> bytes) {
      UnmanagedMemoryConsumerId id = new UnmanagedMemoryConsumerId("Groundswell", instance);
      UnifiedMemoryManager.registerUnmanagedMemoryConsumer(new Consumer(id, bytes));
    }

    @Override
    public MemoryMode memoryMode() {
      return MemoryMode.ON_HEAP;
    }

    @Override
    public long getMemBytesUsed() {
      LongSupplier now = bytes.get();
      return now == null ? -1 : now.getAsLong();
    }
  }
}
