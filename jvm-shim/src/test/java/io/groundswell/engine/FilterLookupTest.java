package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.testing.MemoryObjectStore;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A join's reads, with no filter, a filter on whole keys, and one on what reads bind: how many
 * files and blocks one touches. A row's key is join key and row number; a join key's rows stand in
 * a few of the twelve sub-levels, a prefix scan asks for one that is there every other time, a
 * point read for a row that is nowhere.
 */
class FilterLookupTest {
  private static final int SUB_LEVELS = 12;
  private static final int JOIN_KEYS = 6_000;
  private static final int ROWS = 20;
  private static final int LOOKUPS = 4_000;

  private enum Kind {
    NONE(Layout.ORDERED, 0),
    WHOLE_KEY(Layout.ORDERED, 10),
    BOUND_PREFIX(Layout.HASHED, 10);

    final Layout layout;
    final int bitsPerKey;

    Kind(Layout layout, int bitsPerKey) {
      this.layout = layout;
      this.bitsPerKey = bitsPerKey;
    }
  }

  /** Of one lookup, on average. */
  private record Touched(double files, double blocks) {}

  /** Prefix scans, then point reads. */
  private record Result(Touched scan, Touched get) {}

  private final byte[] key = new byte[12];

  private void setKey(int joinKey, int row) {
    long mixed = joinKey * 0x9E3779B97F4A7C15L;
    for (int i = 0; i < 8; i++) {
      key[i] = (byte) (mixed >>> 56 - 8 * i);
    }
    for (int i = 0; i < 4; i++) {
      key[8 + i] = (byte) (row >>> 24 - 8 * i);
    }
  }

  private int hash(Kind kind) {
    byte[] bound = kind == Kind.WHOLE_KEY ? key : Arrays.copyOf(key, 8);
    return Arrays.hashCode(bound) * 0x9E3779B1;
  }

  private Result run(Kind kind) {
    StoreOptions options = new StoreOptions(4096, 1000, kind.bitsPerKey);
    try (EngineServices services = EngineServices.create(64 << 20, 1);
        EpochStore store = EpochStore.at(new MemoryObjectStore(), options, services)) {
      long version = 0;
      for (int level = 0; level < SUB_LEVELS; level++) {
        version = load(store, kind, version, level);
      }
      assertEquals(SUB_LEVELS, store.metrics().get("subLevels"));
      return new Result(scans(store, kind, version), gets(store, kind, version));
    }
  }

  /** Even join keys only, each in two neighbouring sub-levels: the odd ones lie between them. */
  private long load(EpochStore store, Kind kind, long version, int level) {
    byte[] value = new byte[60];
    try (Transaction batch = store.begin(version, null)) {
      TableSpec table = batch.createTable("left", kind.layout, false);
      for (int joinKey = 0; joinKey < JOIN_KEYS; joinKey += 2) {
        int home = joinKey / 2 % SUB_LEVELS;
        if (level != home && level != (home + 1) % SUB_LEVELS) {
          continue;
        }
        for (int row = level == home ? 0 : ROWS / 2; row < (level == home ? ROWS / 2 : ROWS);
            row++) {
          setKey(joinKey, row);
          batch.put(table, hash(kind), key, 0, key.length, value, 0, value.length);
        }
      }
      return batch.commit().version();
    }
  }

  private Touched scans(EpochStore store, Kind kind, long version) {
    StoreMetrics before = store.metrics();
    Random random = new Random(1);
    try (Snapshot snapshot = store.snapshot(version, null)) {
      for (int n = 0; n < LOOKUPS; n++) {
        int joinKey = random.nextInt(JOIN_KEYS);
        setKey(joinKey, 0);
        int rows = 0;
        try (RowCursor cursor = snapshot.prefix(snapshot.table("left"), hash(kind), key, 0, 8)) {
          while (cursor.next()) {
            rows++;
          }
        }
        assertEquals(joinKey % 2 == 0 ? ROWS : 0, rows);
      }
    }
    return touched(before, store.metrics());
  }

  private Touched gets(EpochStore store, Kind kind, long version) {
    StoreMetrics before = store.metrics();
    Random random = new Random(2);
    Slice out = new Slice();
    try (Snapshot snapshot = store.snapshot(version, null)) {
      for (int n = 0; n < LOOKUPS; n++) {
        setKey(random.nextInt(JOIN_KEYS / 2) * 2 + 1, random.nextInt(ROWS));
        assertTrue(!snapshot.get(snapshot.table("left"), hash(kind), key, 0, key.length, out));
      }
    }
    return touched(before, store.metrics());
  }

  private static Touched touched(StoreMetrics before, StoreMetrics after) {
    double skipped = after.get("filterNegatives") - before.get("filterNegatives");
    double blocks = after.get("cacheHits") + after.get("cacheMisses") - before.get("cacheHits")
        - before.get("cacheMisses");
    return new Touched(SUB_LEVELS - skipped / LOOKUPS, blocks / LOOKUPS);
  }

  @Test
  void metricsMeasureTheFilters() {
    StoreOptions options = new StoreOptions(4096, 1000, 10);
    try (EngineServices services = EngineServices.create(64 << 20, 1);
        EpochStore store = EpochStore.at(new MemoryObjectStore(), options, services)) {
      long version = 0;
      for (int level = 0; level < SUB_LEVELS; level++) {
        version = load(store, Kind.BOUND_PREFIX, version, level);
      }
      gets(store, Kind.BOUND_PREFIX, version);
      StoreMetrics metrics = store.metrics();
      assertEquals(JOIN_KEYS, metrics.get("filterKeys"), "each join key is in two sub-levels");
      assertEquals(10, metrics.filterBitsPerKey(), 0.5);
      long probes = metrics.get("filterGetNegatives") + metrics.get("filterFalsePositives");
      assertEquals((long) LOOKUPS * SUB_LEVELS, probes);
      assertEquals(0.0125, metrics.filterFalsePositiveRate(), 0.01);
    }
  }

  @Test
  void onlyAFilterOnWhatReadsBindServesScansAndGets() {
    Result[] results = Arrays.stream(Kind.values()).map(this::run).toArray(Result[] ::new);
    System.out.println("files and blocks of a lookup, of " + SUB_LEVELS + " sub-levels");
    for (Kind kind : Kind.values()) {
      Result result = results[kind.ordinal()];
      System.out.printf("%-12s prefix scan %5.2f files %5.2f blocks, absent get %5.2f files"
              + " %5.2f blocks%n",
          kind, result.scan.files, result.scan.blocks, result.get.files, result.get.blocks);
    }
    Result none = results[0];
    Result whole = results[1];
    Result bound = results[2];
    assertEquals(SUB_LEVELS, none.scan.files);
    assertEquals(SUB_LEVELS, none.get.files);
    assertEquals(SUB_LEVELS, whole.scan.files);
    assertTrue(whole.get.files < 0.3);
    assertTrue(bound.get.files < 0.3);
    assertTrue(bound.scan.files < 1.3); // two for a key that is there, none for others
    assertTrue(bound.scan.blocks < whole.scan.blocks / 5);
  }
}
