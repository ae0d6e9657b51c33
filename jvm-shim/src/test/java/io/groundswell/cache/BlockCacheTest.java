package io.groundswell.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
  private static final class Entry extends CacheEntry {
    Entry(long weight) {
      super(weight);
    }
  }

  @Test
  void holdsNoMoreThanItsBound() {
    BlockCache cache = new BlockCache(100);
    CachedFile file = cache.file("f", 50);
    for (int i = 0; i < 50; i++) {
      file.put(i, new Entry(7 + i % 5));
      assertTrue(cache.usedBytes() <= 100);
    }
    long held = 0;
    for (int i = 0; i < 50; i++) {
      CacheEntry entry = file.peek(i);
      held += entry == null ? 0 : entry.weight();
    }
    assertEquals(cache.usedBytes(), held);
    file.put(0, new Entry(101));
    assertNull(file.peek(0));
    cache.resize(10);
    assertTrue(cache.usedBytes() <= 10);
  }

  @Test
  void touchedEntriesOutliveAScan() {
    BlockCache cache = new BlockCache(100);
    CachedFile hot = cache.file("hot", 1);
    CachedFile scanned = cache.file("scanned", 1000);
    hot.put(0, new Entry(10));
    for (int i = 0; i < 1000; i++) {
      assertNotNull(hot.get(0), "lost after " + i);
      scanned.put(i, new Entry(10));
    }
    assertEquals(1000, cache.hits());
    assertTrue(cache.evictions() >= 990);
  }

  @Test
  void countsHitsAndMisses() {
    BlockCache cache = new BlockCache(100);
    CachedFile file = cache.file("f", 2);
    file.get(0);
    file.put(0, new Entry(1));
    file.get(0);
    file.get(0);
    file.peek(1);
    assertEquals(2, cache.hits());
    assertEquals(1, cache.misses());
  }

  @Test
  void readersOfAFileShareItsSlots() {
    BlockCache cache = new BlockCache(100);
    CachedFile file = cache.file("f", 2);
    assertSame(file, cache.file("f", 2));
    assertNotSame(file, cache.file("f", 3));
    Entry first = new Entry(5);
    file.put(0, first);
    file.put(0, new Entry(5));
    assertSame(first, file.peek(0));
    file.drop();
    assertNull(file.peek(0));
    assertEquals(0, cache.usedBytes());
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
            file.put(slot, new Entry(1 + random.nextInt(50)));
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
