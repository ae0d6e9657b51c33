package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.spark.shims.MemoryReport;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.memory.UnifiedMemoryManager$;
import org.junit.jupiter.api.Test;

class MemoryReportTest {
  @Test
  void sparkAsksForTheBytesUntilTheReportEnds() {
    AtomicLong bytes = new AtomicLong(7 << 20);
    try (MemoryReport report = MemoryReport.start("test", bytes::get)) {
      assertEquals(7 << 20, UnifiedMemoryManager$.MODULE$.getMemoryByComponentType("Groundswell"));
      bytes.set(9 << 20);
      assertEquals(9 << 20, UnifiedMemoryManager$.MODULE$.getMemoryByComponentType("Groundswell"));
    } finally {
      UnifiedMemoryManager$.MODULE$.clearUnmanagedMemoryUsers();
    }
  }
}
