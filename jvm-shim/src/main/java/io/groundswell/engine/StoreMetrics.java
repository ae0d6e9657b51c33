package io.groundswell.engine;

import io.groundswell.cache.BlockCache;
import io.groundswell.compaction.CompactionMetrics;
import io.groundswell.compaction.Pick;
import io.groundswell.storage.DiskCache;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counters of one store since it was opened, by name, in a stable order; docs/metrics.md says what
 * each means. Reads are counted when their transaction or snapshot ends. {@code cacheHits} and
 * {@code cacheMisses} are those of all stores that share the services.
 */
public record StoreMetrics(Map<String, Long> counters) {
  public StoreMetrics {
    counters = Collections.unmodifiableMap(new LinkedHashMap<>(counters));
  }

  static StoreMetrics of(StoreCounters counters, BlockCache blocks, CompactionMetrics merges,
      Levels levels, Map<String, Long> more) {
    Map<String, Long> all = new LinkedHashMap<>();
    all.put("gets", counters.gets.sum());
    all.put("scans", counters.scans.sum());
    all.put("filterNegatives", counters.filterNegatives.sum());
    all.put("filterGetNegatives", counters.filterGetNegatives.sum());
    all.put("filterFalsePositives", counters.filterFalsePositives.sum());
    all.put("cacheHits", blocks.hits());
    all.put("cacheMisses", blocks.misses());
    all.put("cacheBytes", blocks.usedBytes());
    all.put("cachePinnedBytes", blocks.pinnedBytes());
    all.put("cacheEvictions", blocks.evictions());
    DiskCache disk = DiskCache.shared();
    all.put("diskCacheHits", disk == null ? 0 : disk.hits());
    all.put("diskCacheMisses", disk == null ? 0 : disk.misses());
    all.put("diskCacheBytes", disk == null ? 0 : disk.bytes());
    all.put("commits", counters.commits.sum());
    all.put("commitBytes", counters.commitBytes.sum());
    all.put("rowsWritten", counters.rowsWritten.sum());
    all.put("memtableSpills", counters.spills.sum());
    all.put("memtableSpilledBytes", counters.spilledBytes.sum());
    all.put("stallMillis", counters.stallMillis.sum());
    all.put("manifestsRead", counters.manifestsRead.sum());
    all.put("retiredFiles", counters.retiredFiles.sum());
    all.put("sweptFiles", counters.sweptFiles.sum());
    putShape(levels, all);
    putMerges(counters.commitBytes.sum(), merges, all);
    all.putAll(more);
    return new StoreMetrics(all);
  }

  private static void putShape(Levels levels, Map<String, Long> all) {
    all.put("subLevels", (long) levels.subLevels().size());
    all.put("levels", levels.lower().stream().filter(run -> !run.isEmpty()).count());
    all.put("files", levels.files().count());
    all.put("fileBytes", levels.bytes());
    all.put("levelZeroBytes", levels.levelZeroBytes());
    // The oldest run has each row once: all above it is, at worst, versions that hide its rows.
    java.util.List<Run> runs = levels.runs();
    long oldest = runs.isEmpty() ? 0 : runs.get(runs.size() - 1).bytes();
    all.put("spaceAmplificationPercent", percent(levels.bytes(), oldest));
  }

  private static void putMerges(long commitBytes, CompactionMetrics merges, Map<String, Long> all) {
    all.put("compactionRuns", merges.runs.sum());
    all.put("compactionFailures", merges.failures.sum());
    all.put("compactionsDiscarded", merges.discarded.sum());
    all.put("compactionReadBytes", merges.bytesRead.sum());
    all.put("compactionBytes", merges.bytesWritten.sum());
    all.put("compactionEntriesDropped", merges.entriesDropped.sum());
    for (Pick.Kind kind : Pick.Kind.values()) {
      String name =
          kind.name().charAt(0) + kind.name().substring(1).toLowerCase(java.util.Locale.ROOT);
      all.put("compaction" + name, merges.of(kind).sum());
    }
    all.put("filesDropped", merges.filesDropped.sum());
    all.put(
        "writeAmplificationPercent", percent(commitBytes + merges.bytesWritten.sum(), commitBytes));
  }

  private static long percent(long part, long whole) {
    return whole == 0 ? 100 : part * 100 / whole;
  }

  /**
   * Of the pairs that were in no file's row when a point read asked that file's filter, the share
   * that the filter let pass; NaN if none was asked. A hash that other rows of the file have counts
   * as passed, too.
   */
  public double filterFalsePositiveRate() {
    double passed = get("filterFalsePositives");
    return passed / (passed + get("filterGetNegatives"));
  }

  /** Bits of the filters in memory for each pair that was put into them; NaN if there are none. */
  public double filterBitsPerKey() {
    return 8.0 * get("filterBytes") / get("filterKeys");
  }

  /** The counter of that name. */
  public long get(String name) {
    Long count = counters.get(name);
    if (count == null) {
      throw new IllegalArgumentException(
          "a store has no counter '" + name + "'; it has " + counters.keySet());
    }
    return count;
  }
}
