package io.groundswell.cache;

import com.google.common.collect.MapMaker;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Blocks of many files under one hard bound of bytes; safe for many threads. */
public final class BlockCache {
  private final ConcurrentMap<String, CachedFile> files = new MapMaker().weakValues().makeMap();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  private final ReentrantLock lock = new ReentrantLock();
  // All below: guarded by lock. The ring starts behind the sentinel: the hand's next candidate.
  private final CacheEntry ring = new CacheEntry(0) {};
  private long maxBytes;
  private volatile long usedBytes;

  public BlockCache(long maxBytes) {
    ring.next = ring;
    ring.previous = ring;
    resize(maxBytes);
  }

  /** Sets another bound and evicts down to it. */
  public void resize(long newMaxBytes) {
    if (newMaxBytes < 0) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "a cache of " + newMaxBytes + " bytes; 0 or more wanted");
    }
    lock.lock();
    try {
      maxBytes = newMaxBytes;
      makeRoom(0);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The slots of a file; the same object for the same name as long as anyone uses it.
   *
   * @param name says which immutable bytes are meant: location, file, offset
   */
  public CachedFile file(String name, int slotCount) {
    CachedFile known = files.get(name);
    if (known == null) {
      CachedFile made = new CachedFile(this, name, slotCount);
      known = files.putIfAbsent(name, made);
      if (known == null) {
        return made;
      }
    }
    return known.slots.length() == slotCount ? known : new CachedFile(this, name, slotCount);
  }

  public long maxBytes() {
    lock.lock();
    try {
      return maxBytes;
    } finally {
      lock.unlock();
    }
  }

  public long usedBytes() {
    return usedBytes;
  }

  public long hits() {
    return hits.sum();
  }

  public long misses() {
    return misses.sum();
  }

  public long evictions() {
    return evictions.sum();
  }

  void count(boolean hit) {
    (hit ? hits : misses).increment();
  }

  void insert(CachedFile file, int slot, CacheEntry entry) {
    lock.lock();
    try {
      if (entry.weight > maxBytes || entry.owner != null || file.slots.get(slot) != null) {
        return;
      }
      makeRoom(entry.weight);
      entry.owner = file;
      entry.slot = slot;
      entry.touched = false;
      append(entry);
      usedBytes += entry.weight;
      file.slots.set(slot, entry);
    } finally {
      lock.unlock();
    }
  }

  void drop(CachedFile file) {
    lock.lock();
    try {
      for (int i = 0; i < file.slots.length(); i++) {
        CacheEntry entry = file.slots.get(i);
        if (entry != null) {
          remove(entry);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void makeRoom(long wanted) {
    while (usedBytes + wanted > maxBytes) {
      CacheEntry oldest = ring.next;
      if (oldest.touched) {
        oldest.touched = false;
        unlink(oldest);
        append(oldest);
      } else {
        remove(oldest);
        evictions.increment();
      }
    }
  }

  private void remove(CacheEntry entry) {
    unlink(entry);
    entry.owner.slots.set(entry.slot, null);
    entry.owner = null;
    usedBytes -= entry.weight;
  }

  private void append(CacheEntry entry) {
    entry.previous = ring.previous;
    entry.next = ring;
    ring.previous.next = entry;
    ring.previous = entry;
  }

  private static void unlink(CacheEntry entry) {
    entry.previous.next = entry.next;
    entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
  }
}
