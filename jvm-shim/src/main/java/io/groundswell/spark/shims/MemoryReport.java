package io.groundswell.spark.shims;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.memory.UnmanagedMemoryConsumer;
import org.apache.spark.memory.UnmanagedMemoryConsumerId;

/**
 * Tells Spark's memory manager of bytes that it does not manage itself, so that it hands out less.
 * Spark asks for the number as often as {@code spark.memory.unmanagedMemoryPollingInterval} says.
 */
public final class MemoryReport implements AutoCloseable {
  private final AtomicReference<LongSupplier> bytes;

  private MemoryReport(AtomicReference<LongSupplier> bytes) {
    this.bytes = bytes;
  }

  /** Starts to report; a Spark that does not want to know (4.2) is left alone. */
  public static MemoryReport start(String instance, LongSupplier heapBytes) {
    AtomicReference<LongSupplier> bytes = new AtomicReference<>(heapBytes);
    try {
      Consumer.register(instance, bytes);
    } catch (LinkageError e) {
      // the reason why all names of 4.3 stand in a class of their own
    }
    return new MemoryReport(bytes);
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
