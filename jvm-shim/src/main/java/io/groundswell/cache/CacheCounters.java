package io.groundswell.cache;

/** What one reader found in the cache; for one thread at a time, so that a hit costs no atomic. */
public final class CacheCounters {
  public long hits;
  public long misses;

  /** Of the misses, those that waited for a request of their own; not added to the cache's. */
  public long requests;

  /** Adds these to the cache's own, and starts anew. */
  public void flush(BlockCache cache) {
    cache.count(hits, misses);
    hits = 0;
    misses = 0;
  }
}
