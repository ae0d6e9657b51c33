package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import org.apache.hadoop.conf.Configuration;

/**
 * A first batch of many small rows, in a process of its own so that it has a heap of its own:
 * {@code SpillWorkload folder rows}. Keys have 16 bytes, values 24; a row of 40 bytes takes about
 * 110 in a mem-table. Prints what it found, or dies of the lack of memory.
 */
public final class SpillWorkload {
  private static final int KEY_BYTES = 16;
  private static final int VALUE_BYTES = 24;

  private SpillWorkload() {}

  public static void main(String[] args) throws Exception {
    int rows = Integer.parseInt(args[1]);
    byte[] key = new byte[KEY_BYTES];
    byte[] value = new byte[VALUE_BYTES];
    Slice out = new Slice();
    try (ObjectStore folder = ObjectStores.open(args[0], new Configuration(false));
        EpochStore store =
            EpochStore.at(folder, StoreOptions.defaults(), EngineServices.shared())) {
      long start = System.nanoTime();
      long found = 0;
      try (Transaction batch = store.begin(0, null)) {
        TableSpec table = batch.createTable("t", Layout.HASHED, true);
        for (int i = 0; i < rows; i++) {
          batch.put(table, set(key, value, i), key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
          if (i % 1000 == 999) { // reads go to memory and to what was spilled
            int other = (int) ((i * 0x9E3779B97F4A7C15L >>> 1) % (i + 1));
            found += batch.get(table, set(key, value, other), key, 0, KEY_BYTES, out) ? 1 : 0;
          }
        }
        double loaded = (System.nanoTime() - start) / 1e9;
        System.out.println("counted " + batch.count(table) + " found " + found);
        batch.commit();
        System.err.printf("%,d rows in %.1f s, %.1f s of it the commit%n", rows,
            (System.nanoTime() - start) / 1e9, (System.nanoTime() - start) / 1e9 - loaded);
      }
      StoreMetrics metrics = store.metrics();
      System.out.println(
          "spills " + metrics.get("memtableSpills") + " subLevels " + metrics.get("subLevels"));
      System.err.println(metrics.counters());
      try (Snapshot snapshot = store.snapshot(1, null)) {
        TableSpec table = snapshot.table("t");
        long scanned = 0;
        try (RowCursor cursor = snapshot.scan(table)) {
          while (cursor.next()) {
            scanned++;
          }
        }
        System.out.println("committed " + snapshot.count(table) + " scanned " + scanned);
      }
    }
    System.exit(0);
  }

  /** Row i's key and value; returns its hash. */
  private static int set(byte[] key, byte[] value, int i) {
    long mixed = (i + 1) * 0x9E3779B97F4A7C15L;
    for (int at = 0; at < 8; at++) {
      key[at] = (byte) (mixed >>> 8 * at);
      key[at + 8] = (byte) ((long) i >>> 8 * at);
      value[at] = (byte) (i >>> at);
    }
    mixed ^= mixed >>> 29;
    return (int) (mixed * 0xBF58476D1CE4E5B9L >>> 32);
  }
}
