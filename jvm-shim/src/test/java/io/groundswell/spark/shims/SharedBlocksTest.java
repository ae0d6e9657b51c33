package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

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
}
