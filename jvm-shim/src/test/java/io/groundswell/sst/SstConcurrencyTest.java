package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.storage.LocalObjectStore;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads, one reader, a cache that holds a fraction of the file, interrupts. */
class SstConcurrencyTest {
  private static final int THREADS = 4;

  @TempDir Path folder;

  @Test
  void readersAgreeWhileBlocksComeAndGo() {
    Seeds.each(1, random -> {
      try {
        run(SstModel.random(random, 3000), random.nextLong());
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
  }

  /**
   * What is known of a block stands in the index it came in with; another index has no use of it.
   */
  @Test
  void readersAgreeWhileTheFileIsForgotten() throws Exception {
    SstModel model = SstModel.random(new Random(1), 300);
    try (ObjectStore store = new LocalObjectStore(folder, false)) {
      SstReader reader = SstReader.open(store, write(model, store), new BlockCache(1 << 20));
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> all = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        all.add(threads.submit(() -> {
          for (int i = 0; i < 200; i++) {
            for (byte[] key : model.entries.keySet()) {
              assertEquals(model.expect(key), SstModel.get(reader, key));
            }
            reader.forget();
          }
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
      threads.shutdown();
    }
  }

  private void run(SstModel model, long seed) throws Exception {
    BlockCache cache = new BlockCache(64 << 10);
    try (ObjectStore store = new LocalObjectStore(folder, false)) {
      SstReader reader = SstReader.open(store, write(model, store), cache);
      List<byte[]> keys = new ArrayList<>(model.entries.keySet());
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> all = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        Random random = new Random(seed + t);
        all.add(threads.submit(() -> {
          for (int i = 0; i < 5000; i++) {
            if (i % 50 == 0) {
              Thread.currentThread().interrupt();
            }
            byte[] key = keys.get(random.nextInt(keys.size()));
            assertEquals(model.expect(key), SstModel.get(reader, key));
            if (i % 500 == 0) {
              SstCursor cursor = reader.cursor(i % 1000 == 0, new CacheCounters());
              int entries = 0;
              for (cursor.seekToFirst(); cursor.valid; cursor.next()) {
                entries++;
              }
              assertEquals(keys.size(), entries);
            }
            assertTrue(cache.usedBytes() <= 64 << 10);
          }
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
      threads.shutdown();
      assertTrue(cache.evictions() > 0);
    }
  }

  private static SstInfo write(SstModel model, ObjectStore target) throws IOException {
    MemoryObjectStore memory = new MemoryObjectStore();
    SstInfo info = model.write(memory, "a.sst", new SstOptions(1024, 10, Compression.LZ4));
    target.put("a.sst", memory.objects.get("a.sst"));
    return info;
  }
}
