package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.SstOptions;
import io.groundswell.storage.LocalObjectStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is larger than its JVM's heap: loaded, read and scanned at a flat use of memory. */
class HeapBoundTest {
  private static final int KEY_BYTES = 24;
  private static final int VALUE_BYTES = 80;
  private static final int BATCH = 20_000;
  /** Each waits for the disk where the page cache is smaller than the store. */
  private static final int MAX_READS = 200_000;

  private static final long FLAT_WITHIN = 12 << 20;

  @TempDir Path folder;

  @Test
  void aHeapOf96MegabytesHoldsAStoreOf104() throws Exception {
    run("96m", 1_000_000, 16 << 20);
  }

  @Test
  @Tag("soak")
  void aHeapOfOneGigabyteHoldsTenMillionKeys() throws Exception {
    run("1g", 10_000_000, 256 << 20);
  }

  private void run(String heap, int keys, long cacheBytes) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process = new ProcessBuilder(java, "-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError", "-cp",
        System.getProperty("java.class.path"), HeapBoundTest.class.getName(), folder.toString(),
        "" + keys, "" + cacheBytes)
                          .redirectErrorStream(true)
                          .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    System.out.println(output);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains("all " + keys + " rows"), output);
  }

  /**
   * The process with the small heap: folder, keys, bytes of cache. Its heap is the bound; besides,
   * the least that was ever live apart from the cache may not grow as the store does. (What is live
   * at a moment depends on where batch and merge stand.)
   */
  public static void main(String[] args) {
    int keys = Integer.parseInt(args[1]);
    StoreOptions options = new StoreOptions(SstOptions.DEFAULT_BLOCK_BYTES, 8, 10);
    try (EngineServices services = EngineServices.create(Long.parseLong(args[2]), 1);
        EpochStore store =
            EpochStore.at(new LocalObjectStore(Path.of(args[0]), false), options, services)) {
      byte[] key = new byte[KEY_BYTES];
      byte[] value = new byte[VALUE_BYTES];
      long version = 0;
      long early = Long.MAX_VALUE;
      long late = Long.MAX_VALUE;
      for (int from = 0; from < keys; from += BATCH) {
        try (Transaction batch = store.begin(version, null)) {
          TableSpec table = batch.createTable("t", Layout.HASHED, false);
          for (int i = from; i < Math.min(keys, from + BATCH); i++) {
            fill(key, i);
            fill(value, i + 1);
            batch.put(table, hash(key), key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
          }
          version = batch.commit().version();
        }
        store.retire(version);
        if (from / BATCH % Math.max(1, keys / BATCH / 10) == 0) {
          long live = liveBytes(services, from + " rows loaded");
          early = from < keys / 2 ? Math.min(early, live) : early;
          late = from < keys / 2 ? late : Math.min(late, live);
        }
      }
      read(store, services, version, keys);
      if (late > early + FLAT_WITHIN) {
        throw new AssertionError(late + " bytes were live in the end, " + early + " before");
      }
    }
  }

  private static void read(EpochStore store, EngineServices services, long version, int keys) {
    byte[] key = new byte[KEY_BYTES];
    byte[] value = new byte[VALUE_BYTES];
    Slice out = new Slice();
    Random random = new Random(1);
    try (Snapshot snapshot = store.snapshot(version, null)) {
      TableSpec table = snapshot.table("t");
      for (int n = 0; n < Math.min(keys / 10, MAX_READS); n++) {
        int i = random.nextInt(keys);
        fill(key, i);
        fill(value, i + 1);
        if (!snapshot.get(table, hash(key), key, 0, KEY_BYTES, out)
            || !Arrays.equals(value, out.copy())) {
          throw new AssertionError("row " + i + " is wrong");
        }
      }
      liveBytes(services, "after point reads");
      int rows = 0;
      try (RowCursor cursor = snapshot.scan(table)) {
        while (cursor.next()) {
          rows++;
        }
      }
      System.out.println("all " + rows + " rows");
      liveBytes(services, "after a full scan");
    }
  }

  /** Of the heap, apart from the cache. */
  private static long liveBytes(EngineServices services, String when) {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long cache = services.cacheMemoryBytes();
    long live = runtime.totalMemory() - runtime.freeMemory() - cache;
    System.out.printf("%s: %,d bytes live and %,d in the cache%n", when, live, cache);
    return live;
  }

  private static void fill(byte[] bytes, int i) {
    long mixed = i * 0x9E3779B97F4A7C15L;
    for (int at = 0; at < bytes.length; at++) {
      bytes[at] = (byte) (mixed >>> at % 8 * 8 ^ at);
    }
    bytes[0] = (byte) (i >>> 24);
    bytes[1] = (byte) (i >>> 16);
    bytes[2] = (byte) (i >>> 8);
    bytes[3] = (byte) i;
  }

  private static int hash(byte[] key) {
    return Arrays.hashCode(key) * 0x85EBCA6B;
  }
}
