package io.groundswell.cache;

/** A link of one of the cache's two queues: whose slot it fills and at what weight. */
final class CacheEntry {
  final CachedFile owner;
  final int slot;
  final long weight;

  // Guarded by the cache's lock.
  boolean main;
  CacheEntry previous;
  CacheEntry next;

  CacheEntry(CachedFile owner, int slot, long weight) {
    this.owner = owner;
    this.slot = slot;
    this.weight = weight;
  }
}
