package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Transaction;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreRegistryTest {
  @TempDir Path root;

  @Test
  void aStoreThatNobodyAsksForIsClosed() {
    Configuration conf = new Configuration();
    EpochStore used = StoreRegistry.get(root + "/state/a/0", conf);
    EpochStore idle = StoreRegistry.get(root + "/state/b/0", conf);
    int open = StoreRegistry.size();
    assertEquals(0, StoreRegistry.closeIdle(System.nanoTime()));
    try (Transaction batch = used.begin(0, null)) {
      long later = System.nanoTime() + StoreRegistry.IDLE_NANOS + 1;
      StoreRegistry.closeIdle(later);
      assertEquals(1, StoreRegistry.size(), "all " + open + " but what has a batch open");
      assertSame(used, StoreRegistry.get(root + "/state/a/0", conf));
      batch.commit();
    }
    assertNotSame(idle, StoreRegistry.get(root + "/state/b/0", conf));
    StoreRegistry.close(root.toString());
    assertEquals(0, StoreRegistry.size());
  }
}
