package io.groundswell.version;

import io.groundswell.cache.CacheCounters;

/**
 * Plain counters of one reader, which one thread uses at a time; they are added to the store's when
 * it closes, so that a read costs no atomic operation.
 */
public final class ReadCounters {
  /** Blocks found in the cache, and not. */
  public final CacheCounters cache = new CacheCounters();

  public long gets;
  public long scans;

  /** Files that a filter spared a read; of these, a point read. */
  public long filterNegatives;

  public long filterGetNegatives;

  /** A filter said maybe and the row was not there, or only in versions that are too new. */
  public long filterFalsePositives;
}
