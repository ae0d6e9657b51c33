package io.groundswell.spark.store.provider;

import io.groundswell.engine.StoreMetrics;
import io.groundswell.spark.store.provider.StoreMetric.Unit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.execution.streaming.state.StateStoreCustomMetric;

/**
 * The engine's own counters in a query's progress. Spark adds the numbers of all partitions up, so
 * what has happened is told as the difference to the last time it was told: by this store, or, for
 * what the stores of a JVM share, by any of them.
 */
final class EngineMetrics {
  private enum Kind { NOW, SINCE, SINCE_IN_JVM }

  private record Told(StoreMetric metric, String counter, Kind kind) {}

  private static final List<Told> ALL = List.of(now("SubLevels", "sub-levels", "subLevels"),
      now("Files", "SSTs of the newest version", "files"),
      new Told(metric("FileBytes", "bytes of these", Unit.BYTES, true), "fileBytes", Kind.NOW),
      now("PinnedVersions", "versions that readers hold", "pinnedVersions"),
      since("Gets", "look-ups in files", Unit.COUNT, "gets"),
      since("FilterNegatives", "files that a filter spared", Unit.COUNT, "filterNegatives"),
      since("FilterFalsePositives", "files read in vain", Unit.COUNT, "filterFalsePositives"),
      inJvm("CacheHits", "blocks found in the cache", "cacheHits"),
      inJvm("CacheMisses", "blocks read from storage", "cacheMisses"),
      since("CompactionBytes", "bytes that merges wrote", Unit.BYTES, "compactionBytes"),
      since("SpilledBytes", "bytes of the batch that went to disk", Unit.BYTES,
          "memtableSpilledBytes"),
      since("StallMs", "time that commits waited for merges", Unit.MILLIS, "stallMillis"));

  private static final Map<String, AtomicLong> TOLD_BY_JVM = new ConcurrentHashMap<>();

  private final Map<String, Long> told = new HashMap<>();

  static List<? extends StateStoreCustomMetric> supported() {
    return ALL.stream().map(Told::metric).toList();
  }

  /** What to tell now. */
  synchronized Map<StateStoreCustomMetric, Object> take(StoreMetrics engine) {
    Map<StateStoreCustomMetric, Object> result = new LinkedHashMap<>();
    for (Told one : ALL) {
      long value = engine.get(one.counter());
      long before = switch (one.kind()) {
        case NOW -> 0;
        case SINCE -> {
          Long last = told.put(one.counter(), value);
          yield last == null ? 0 : last;
        }
        case SINCE_IN_JVM ->
          TOLD_BY_JVM.computeIfAbsent(one.counter(), name -> new AtomicLong())
              .getAndAccumulate(value, Math::max);
      };
      result.put(one.metric(), Math.max(0, value - before));
    }
    return result;
  }

  private static Told now(String name, String desc, String counter) {
    return new Told(metric(name, desc, Unit.COUNT, true), counter, Kind.NOW);
  }

  private static Told since(String name, String desc, Unit unit, String counter) {
    return new Told(metric(name, desc, unit, false), counter, Kind.SINCE);
  }

  private static Told inJvm(String name, String desc, String counter) {
    return new Told(metric(name, desc, Unit.COUNT, false), counter, Kind.SINCE_IN_JVM);
  }

  private static StoreMetric metric(String name, String desc, Unit unit, boolean isSnapshot) {
    return new StoreMetric("groundswell" + name, desc, unit, isSnapshot);
  }
}
