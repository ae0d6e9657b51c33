package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Transaction;
import java.lang.ref.WeakReference;
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

  @Test
  void packsGoAfterTheStoresBesideThem() {
    Configuration conf = new Configuration();
    int others = StoreRegistry.packs();
    EpochStore used = StoreRegistry.get(root + "/generation-1/state/a/0", conf);
    StoreRegistry.get(root + "/state/a/0", conf);
    EpochPacks beside = StoreRegistry.packsOf(root + "/generation-1", conf);
    assertEquals(others + 2, StoreRegistry.packs());
    try (Transaction batch = used.begin(0, null)) {
      StoreRegistry.closeIdle(System.nanoTime() + StoreRegistry.IDLE_NANOS + 1);
      assertEquals(1, StoreRegistry.packs(), "those of a store with an open batch");
      assertSame(beside, StoreRegistry.packsOf(root + "/generation-1", conf));
      batch.abort();
    }
    StoreRegistry.close(root.toString());
    StoreRegistry.closeIdle(System.nanoTime());
    assertEquals(1, StoreRegistry.packs(), "a query that begins anew knows them still");
    StoreRegistry.closeIdle(System.nanoTime() + StoreRegistry.IDLE_NANOS + 1);
    assertEquals(0, StoreRegistry.packs());
  }

  @Test
  void storesOfAPipelineShareOneConfiguration() throws InterruptedException {
    StoreRegistry.get(root + "/state/a/0", new Configuration());
    Configuration another = new Configuration();
    StoreRegistry.get(root + "/state/a/1", another);
    StoreRegistry.get(root + "/generation-1/state/a/0", another);
    WeakReference<Configuration> kept = new WeakReference<>(another);
    another = null;
    for (int i = 0; i < 100 && kept.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(kept.get());
    StoreRegistry.close(root.toString());
  }

  @Test
  void storesOfADeletedFolderAreClosedButForThoseThatSomebodyReads() {
    Configuration conf = new Configuration();
    EpochStore later = StoreRegistry.get(root + "/generation-10/state/a/0", conf);
    EpochStore read = StoreRegistry.get(root + "/generation-1/state/a/0", conf);
    StoreRegistry.get(root + "/generation-1/state/a/1", conf);
    int open = StoreRegistry.size();
    try (Transaction batch = read.begin(0, null)) {
      StoreRegistry.closeBelow(root + "/generation-1");
      assertEquals(open - 1, StoreRegistry.size());
      batch.abort();
    }
    StoreRegistry.closeBelow(root + "/generation-1");
    assertEquals(open - 2, StoreRegistry.size());
    assertSame(later, StoreRegistry.get(root + "/generation-10/state/a/0", conf));
    StoreRegistry.close(root.toString());
    StoreRegistry.close(root + "/generation-10");
  }
}
