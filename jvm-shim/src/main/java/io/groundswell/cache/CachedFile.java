package io.groundswell.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** One file's slots in the cache. All readers of the file that are open at a time share it. */
public final class CachedFile {
  private final BlockCache cache;
  private final String name;
  final AtomicReferenceArray<CacheEntry> slots;

  CachedFile(BlockCache cache, String name, int slotCount) {
    this.cache = cache;
    this.name = name;
    this.slots = new AtomicReferenceArray<>(slotCount);
  }

  public String name() {
    return name;
  }

  /** What the slot holds, or null; counts as a hit or a miss. */
  public CacheEntry get(int slot) {
    CacheEntry entry = peek(slot);
    cache.count(entry != null);
    return entry;
  }

  /** Like {@link #get}, but not counted. */
  public CacheEntry peek(int slot) {
    CacheEntry entry = slots.getAcquire(slot);
    if (entry != null && !entry.touched) {
      entry.touched = true;
    }
    return entry;
  }

  /** Puts an entry in, unless it is larger than the cache or another thread was first. */
  public void put(int slot, CacheEntry entry) {
    cache.insert(this, slot, entry);
  }

  /** Empties all slots, as when the file is deleted. */
  public void drop() {
    cache.drop(this);
  }
}
