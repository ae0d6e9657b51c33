package io.groundswell.engine;

import io.groundswell.cache.BlockCache;
import io.groundswell.compaction.CompactionMetrics;
import java.io.Serializable;

/**
 * What a store has done since it was asked last.
 *
 * @param lookups point reads in files
 * @param filterNegatives files that a filter spared a read
 * @param filterFalsePositives files that a filter let pass and that had no such row
 * @param compactions finished merges of files
 * @param compactionBytes that these wrote
 * @param cacheHits blocks found in memory, by all stores of the process since any was asked
 * @param cacheMisses blocks that were not
 */
public record StoreUse(long lookups, long filterNegatives, long filterFalsePositives,
    long compactions, long compactionBytes, long cacheHits, long cacheMisses)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Nothing was done. */
  public static final StoreUse NONE = new StoreUse(0, 0, 0, 0, 0, 0, 0);

  private StoreUse minus(StoreUse before) {
    return new StoreUse(lookups - before.lookups, filterNegatives - before.filterNegatives,
        filterFalsePositives - before.filterFalsePositives, compactions - before.compactions,
        compactionBytes - before.compactionBytes, cacheHits, cacheMisses);
  }

  /** Remembers what one store has told. */
  static final class Told {
    private StoreUse last = NONE;

    synchronized StoreUse take(
        StoreCounters counters, CompactionMetrics merges, BlockCache blocks) {
      BlockCache.Use cache = blocks.takeUse();
      StoreUse now = new StoreUse(counters.gets.sum(), counters.filterNegatives.sum(),
          counters.filterFalsePositives.sum(), merges.runs.sum(), merges.bytesWritten.sum(),
          cache.hits(), cache.misses());
      StoreUse since = now.minus(last);
      last = now;
      return since;
    }
  }
}
