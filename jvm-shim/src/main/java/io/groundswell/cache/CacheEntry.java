package io.groundswell.cache;

/** Something immutable that was read from a file; a link of the cache's clock while it is in. */
public abstract class CacheEntry {
  /** What the objects of an entry take besides their arrays, about. */
  protected static final int OBJECT_BYTES = 96;

  final long weight;

  /** Set by every hit, cleared when the clock's hand passes. A lost race costs one early miss. */
  boolean touched;

  // Guarded by the cache's lock; owner is null while the entry is not in the cache.
  CachedFile owner;
  int slot;
  CacheEntry previous;
  CacheEntry next;

  protected CacheEntry(long weight) {
    this.weight = weight;
  }

  /** Bytes of memory, object included. */
  public final long weight() {
    return weight;
  }
}
