package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * The raw engine, one partition on the local disk: rates of what Spark's operators do. No test.
 *
 * <p>Run: {@code java -Xmx2g -cp <classes>:<test classes>:<pyspark jars>
 * io.groundswell.engine.EngineBenchmark [keys] [part...]}, parts: get absent rmw scan prefix join
 * reopen compact.
 */
public final class EngineBenchmark {
  private static final int KEY_BYTES = 40;
  private static final int VALUE_BYTES = 90;
  private static final int BATCH = 20_000;

  private final int keys;
  private final EpochStore store;
  private final ObjectStore folder;
  private final byte[] key = new byte[KEY_BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private final Slice out = new Slice();
  private final Random random = new Random(42);
  private long version;

  private EngineBenchmark(ObjectStore folder, int keys) {
    this.folder = folder;
    this.keys = keys;
    store = EpochStore.at(folder, StoreOptions.defaults(), EngineServices.shared());
    random.nextBytes(value);
  }

  public static void main(String[] args) throws Exception {
    int keys = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    String parts = args.length > 1 ? String.join(" ", Arrays.asList(args).subList(1, args.length))
                                   : "get absent rmw scan prefix join reopen";
    Path path = Files.createTempDirectory("engine-benchmark");
    try (ObjectStore folder = ObjectStores.open(path.toString(), new Configuration(false))) {
      new EngineBenchmark(folder, keys).run(parts);
    } finally {
      try (Stream<Path> files = Files.walk(path)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private void run(String parts) {
    load();
    for (String part : parts.split(" ")) {
      for (int round = 0; round < 3; round++) {
        switch (part) {
          case "get" -> gets("get, key present", 0, 1_000_000);
          case "absent" -> gets("get, key absent", 1, 1_000_000);
          case "rmw" -> readModifyWrite(50);
          case "scan" -> scan();
          case "prefix" -> prefixes();
          case "join" -> join();
          case "reopen" -> reopen();
          case "compact" -> compact();
          default -> throw new IllegalArgumentException(part);
        }
      }
    }
    System.out.println(store.metrics().counters());
  }

  /** Key i has hash h(i), as a grouping key does. */
  private int setKey(int i, int variant) {
    long mixed = i * 0x9E3779B97F4A7C15L;
    for (int at = 0; at < KEY_BYTES; at++) {
      key[at] = (byte) (mixed >>> (at % 8) * 8 ^ at * variant);
    }
    key[KEY_BYTES - 4] = (byte) (i >>> 24);
    key[KEY_BYTES - 3] = (byte) (i >>> 16);
    key[KEY_BYTES - 2] = (byte) (i >>> 8);
    key[KEY_BYTES - 1] = (byte) i;
    return Arrays.hashCode(key) * 0x85EBCA6B;
  }

  private void load() {
    long start = now();
    for (int from = 0; from < keys; from += BATCH) {
      try (Transaction batch = store.begin(version, null)) {
        TableSpec table = batch.createTable("t", Layout.HASHED, true);
        for (int i = from; i < Math.min(keys, from + BATCH); i++) {
          int hash = setKey(i, 0);
          batch.put(table, hash, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
        }
        version = batch.commit().version();
      }
    }
    report("load", keys, start);
    settle();
  }

  /** Lets merges come to rest. */
  private void settle() {
    long before;
    do {
      before = store.metrics().get("compactionRuns");
      try (Transaction batch = store.begin(version, null)) {
        version = batch.commit().version();
      }
      try {
        Thread.sleep(500);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    } while (store.metrics().get("compactionRuns") > before);
    System.out.println("sub-levels: " + store.metrics().get("subLevels"));
  }

  private void gets(String what, int variant, int count) {
    try (Transaction batch = store.begin(version, null)) {
      batch.learnFromReads(false); // as the stores that Spark only reads
      TableSpec table = batch.table("t");
      int found = 0;
      long start = now();
      for (int n = 0; n < count; n++) {
        int hash = setKey(random.nextInt(keys), variant);
        found += batch.get(table, hash, key, 0, KEY_BYTES, out) ? 1 : 0;
      }
      report(what + " (" + found + " found)", count, start);
    }
  }

  private void readModifyWrite(int batches) {
    double[] commits = new double[batches];
    long start = now();
    for (int b = 0; b < batches; b++) {
      try (Transaction batch = store.begin(version, null)) {
        TableSpec table = batch.table("t");
        for (int n = 0; n < BATCH; n++) {
          int hash = setKey(random.nextInt(keys), 0);
          batch.get(table, hash, key, 0, KEY_BYTES, out);
          value[n % VALUE_BYTES]++;
          batch.put(table, hash, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
        }
        long commit = now();
        version = batch.commit().version();
        commits[b] = (now() - commit) / 1e6;
      }
    }
    report("read-modify-write", batches * BATCH, start);
    Arrays.sort(commits);
    System.out.printf("  commit p50 %.1f ms, p99 %.1f ms, sub-levels %d%n", commits[batches / 2],
        commits[batches - 1], store.metrics().get("subLevels"));
  }

  private void scan() {
    try (Snapshot snapshot = store.snapshot(version, null)) {
      long start = now();
      int rows = 0;
      try (RowCursor cursor = snapshot.scan(snapshot.table("t"))) {
        while (cursor.next()) {
          rows += cursor.value().length > 0 ? 1 : 0;
        }
      }
      report("full scan", rows, start);
    }
  }

  /** Ten rows a prefix: 4-byte group, then the row. */
  private int setRow(int group, int row) {
    for (int at = 0; at < 4; at++) {
      key[at] = (byte) (group >>> 24 - 8 * at);
      key[at + 4] = (byte) (row >>> 24 - 8 * at);
    }
    return group * 0x9E3779B1;
  }

  private void prefixes() {
    int groups = keys / 10;
    try (Transaction batch = store.begin(version, null)) {
      if (batch.table("p") == null) {
        TableSpec table = batch.createTable("p", Layout.HASHED, true);
        for (int i = 0; i < groups * 10; i++) {
          int hash = setRow(i % groups, i / groups);
          batch.put(table, hash, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
        }
        version = batch.commit().version();
        settle();
      }
    }
    try (Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.table("p");
      int count = 200_000;
      int rows = 0;
      long start = now();
      for (int n = 0; n < count; n++) {
        int hash = setRow(random.nextInt(groups), 0);
        try (RowCursor cursor = batch.prefix(table, hash, key, 0, 4)) {
          while (cursor.next()) {
            rows++;
          }
        }
      }
      report("prefix scan (" + rows / count + " rows each)", count, start);
    }
  }

  /** One prefix scan and one put for each input row, as a streaming join does. */
  private void join() {
    int count = 100_000;
    try (Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.createTable("j", Layout.HASHED, true);
      int rows = 0;
      long start = now();
      for (int n = 0; n < count; n++) {
        int group = random.nextInt(count / 10);
        int hash = setRow(group, n);
        try (RowCursor cursor = batch.prefix(table, hash, key, 0, 4)) {
          while (cursor.next()) {
            rows++;
          }
        }
        batch.put(table, hash, key, 0, KEY_BYTES, value, 0, VALUE_BYTES);
      }
      report("scan + put inside a batch (" + rows / count + " rows each)", count, start);
    }
  }

  /** One sub-level: what follows is read from a store at rest. */
  private void compact() {
    store.compact(version, null);
    settle();
  }

  private void reopen() {
    long start = now();
    EngineServices cold = EngineServices.create(64 << 20, 1);
    try (EpochStore again = EpochStore.at(folder, StoreOptions.defaults(), cold);
        Snapshot snapshot = again.snapshot(version, null)) {
      int hash = setKey(1, 0);
      snapshot.get(snapshot.table("t"), hash, key, 0, KEY_BYTES, out);
    }
    System.out.printf("reopen to first row: %.1f ms%n", (now() - start) / 1e6);
    cold.close();
  }

  /** The thread's CPU time: on a busy machine it says more than the clock. */
  private static long now() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void report(String what, long rows, long start) {
    double seconds = (now() - start) / 1e9;
    System.out.printf("%s: %,.0f a CPU second (%.2f s)%n", what, rows / seconds, seconds);
  }
}
