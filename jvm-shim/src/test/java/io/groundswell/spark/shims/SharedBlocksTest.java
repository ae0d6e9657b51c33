package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.dataflow.LocalSpark;
import org.apache.spark.SparkContext;
import org.apache.spark.storage.BlockId;
import org.junit.jupiter.api.Test;

class SharedBlocksTest {
  @Test
  void otherProcessesFindABlockByTheNameOfItsId() {
    BlockId id = SharedBlocks.id("0123456789abcdef".repeat(4));
    assertEquals(id, BlockId.apply(id.name()));
  }

  @Test
  void withoutSparkThereAreNone() {
    assertFalse(SharedBlocks.put("a", new byte[1]));
    assertEquals(-1, SharedBlocks.localLength("a"));
    assertNull(SharedBlocks.local("a", 0, 1));
    assertNull(SharedBlocks.remote("a"));
    SharedBlocks.remove("a");
  }

  /** Spark reads a block in two steps, and removes it in the background. */
  @Test
  void aBlockThatIsBeingRemovedIsThereOrNot() {
    SparkContext spark = LocalSpark.start();
    try {
      for (int round = 0; round < 300; round++) {
        String name = "removed" + round;
        assertTrue(SharedBlocks.put(name, new byte[] {7}));
        SharedBlocks.remove(name);
        byte[] found;
        while ((found = SharedBlocks.local(name, 0, 1)) != null) {
          assertEquals(7, found[0]);
        }
        assertEquals(-1, SharedBlocks.localLength(name));
      }
    } finally {
      spark.stop();
    }
  }
}
