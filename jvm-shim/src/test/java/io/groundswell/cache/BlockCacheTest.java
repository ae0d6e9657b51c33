package io.groundswell.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
  private static final String BLOCK = "block";

  private static int held(CachedFile file) {
    int held = 0;
    for (int i = 0; i < file.slotCount(); i++) {
      held += file.peek(i) == null ? 0 : 1;
    }
    return held;
  }

  @Test
  void holdsNoMoreThanItsBound() {
    BlockCache cache = new BlockCache(100);
    CachedFile file = cache.file("f", 50);
    for (int i = 0; i < 50; i++) {
      file.put(i, BLOCK, 10);
      assertTrue(cache.usedBytes() <= 100);
      assertEquals(cache.usedBytes(), 10 * held(file));
    }
    assertEquals(100, cache.usedBytes());
    assertEquals(40, cache.evictions());
    file.put(0, BLOCK, 101);
    assertNull(file.peek(0));
    cache.resize(10);
    assertTrue(cache.usedBytes() <= 10);
  }

  /** Reads as a store does: what is not there is loaded and put in. True if it was there. */
  private static boolean read(CachedFile file, int slot) {
    if (file.get(slot) != null) {
      return true;
    }
    file.put(slot, BLOCK, 10);
    return false;
  }

  @Test
  void aScanOfTenTimesTheCacheLeavesTheHotSetIn() {
    BlockCache cache = new BlockCache(1000);
    CachedFile hot = cache.file("hot", 80);
    CachedFile scanned = cache.file("scanned", 1000);
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      read(hot, random.nextInt(80));
    }
    assertEquals(80, held(hot));
    for (int i = 0; i < 1000; i++) { // without a single read of the hot set meanwhile
      assertTrue(!read(scanned, i));
    }
    assertTrue(held(hot) >= 78, "of 80 hot blocks " + held(hot) + " are left");
    assertTrue(cache.usedBytes() <= 1000);
  }

  @Test
  void theHotSetChangesHandsWithoutHelp() {
    BlockCache cache = new BlockCache(1000);
    CachedFile before = cache.file("before", 90);
    CachedFile after = cache.file("after", 90);
    Random random = new Random(2);
    for (int i = 0; i < 3000; i++) {
      read(before, random.nextInt(90));
    }
    for (int i = 0; i < 3000; i++) {
      read(after, random.nextInt(90));
    }
    assertTrue(held(after) >= 85, "of 90 newly hot blocks only " + held(after) + " got in");
  }

  @Test
  void whatComesBackSoonAfterItsEvictionStays() {
    BlockCache cache = new BlockCache(100);
    CachedFile file = cache.file("f", 100);
    for (int i = 0; i < 12; i++) {
      file.put(i, BLOCK, 10);
    }
    assertNull(file.peek(0));
    file.put(0, BLOCK, 10); // remembered: into the main queue
    for (int i = 12; i < 21; i++) {
      file.put(i, BLOCK, 10);
    }
    assertNotNull(file.peek(0));
    assertNull(file.peek(11));
  }

  @Test
  void onceFullOnlyWhatIsMissedAgainGetsIn() {
    BlockCache cache = new BlockCache(1000);
    CachedFile file = cache.file("f", 300);
    for (int i = 0; i < 100; i++) {
      assertTrue(file.admits(i, 10), "there is room");
      file.put(i, BLOCK, 10);
    }
    for (int i = 100; i < 200; i++) {
      assertFalse(file.admits(i, 10), "missed for the first time");
    }
    assertEquals(0, cache.evictions());
    assertTrue(file.admits(199, 10), "missed again");
    file.put(199, BLOCK, 10);
    assertNotNull(file.peek(199));
    assertFalse(file.admits(299, 10));
  }

  @Test
  void readsSpreadOverThreeTimesTheCacheExchangeLittleAndHitAsOften() {
    int room = 3500;
    BlockCache cache = new BlockCache(room * 16L << 10);
    CachedFile file = cache.file("f", 10_000);
    Random random = new Random(3);
    int hits = 0;
    int admitted = 0;
    for (int i = 0; i < 100_000; i++) {
      int slot = random.nextInt(10_000);
      if (file.get(slot) != null) {
        hits++;
      } else if (file.admits(slot, 16 << 10)) {
        file.put(slot, BLOCK, 16 << 10);
        admitted++;
      }
    }
    assertTrue(hits > 100_000 * 0.3, hits + " hits");
    assertTrue(admitted < 100_000 * 0.3, admitted + " admitted");
  }

  @Test
  void pinnedBytesTakeTheirRoomFromBlocksAndGiveItBack() throws Exception {
    BlockCache cache = new BlockCache(1000);
    CachedFile blocks = cache.file("blocks", 200);
    CachedFile many = cache.file("pins", 1);
    for (int i = 0; i < 200; i++) {
      blocks.put(i, BLOCK, 10);
    }
    assertEquals("index", many.pin("index", 600));
    assertEquals("index", many.pin("another", 600));
    assertEquals(600, cache.pinnedBytes());
    assertEquals(400, cache.usedBytes());
    CachedFile more = cache.file("more", 1);
    more.pin("index", 900); // blocks keep a quarter
    assertEquals(250, cache.usedBytes());
    assertNotNull(many.pinned());
    assertNotNull(more.pinned());
    many = null;
    more = null;
    for (int i = 0; cache.pinnedBytes() > 0 && i < 100; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertEquals(0, cache.pinnedBytes(), "files that nobody uses");
  }

  @Test
  void countsWhatReadersCounted() {
    BlockCache cache = new BlockCache(100);
    CacheCounters reader = new CacheCounters();
    reader.hits = 3;
    reader.misses = 2;
    reader.flush(cache);
    reader.flush(cache);
    assertEquals(3, cache.hits());
    assertEquals(2, cache.misses());
  }

  @Test
  void readersOfAFileShareItsSlots() {
    BlockCache cache = new BlockCache(100);
    CachedFile file = cache.file("f", 2);
    assertSame(file, cache.file("f", 2));
    assertNotSame(file, cache.file("f", 3));
    file.put(0, "first", 5);
    file.put(0, "second", 5);
    assertSame("first", file.peek(0));
    file.drop();
    assertNull(file.peek(0));
    assertEquals(0, cache.usedBytes());
  }

  @Test
  void aRetiredFileIsPinnedNoMore() {
    BlockCache cache = new BlockCache(1000);
    CachedFile file = cache.file("f", 2);
    assertSame("index", file.pin("index", 10));
    file.put(0, "block", 5);
    file.retire();
    assertNull(file.pin("another", 10)); // by who came to it before
    assertNull(file.pinned());
    assertNull(file.peek(0));
    assertEquals(0, cache.pinnedBytes());
    assertNotSame(file, cache.file("f", 2));
  }

  @Test
  void boundHoldsUnderManyThreads() throws Exception {
    BlockCache cache = new BlockCache(1000);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> all = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int seed = t;
      all.add(threads.submit(() -> {
        Random random = new Random(seed);
        for (int i = 0; i < 50_000; i++) {
          CachedFile file = cache.file("f" + random.nextInt(5), 40);
          int slot = random.nextInt(40);
          if (file.get(slot) == null) {
            file.put(slot, BLOCK, 1 + random.nextInt(50));
          }
          if (random.nextInt(5000) == 0) {
            file.drop();
          }
          assertTrue(cache.usedBytes() <= 1000 && cache.usedBytes() >= 0);
        }
      }));
    }
    for (Future<?> one : all) {
      one.get();
    }
    threads.shutdown();
    for (int f = 0; f < 5; f++) {
      cache.file("f" + f, 40).drop();
    }
    assertEquals(0, cache.usedBytes());
  }
}
