package io.groundswell.cache;

import com.google.common.collect.MapMaker;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.lang.ref.Cleaner;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Blocks of many files under one hard bound of bytes; safe for many threads. Evicts by S3-FIFO
 * (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023): newcomers pass
 * through a queue of a tenth of the room, and only what is used again there, or is asked for again
 * soon after it had to leave, gets into the main queue. Readers ask {@link CachedFile#admits}
 * first: once the cache is full, what is missed for the first time is not put in at all, so reads
 * spread over far more than the cache exchange nothing.
 */
public final class BlockCache {
  /** The share of newcomers: one in so many bytes. */
  private static final int NEWCOMERS = 10;

  /** Pinned bytes leave this share to slots, whatever they take: one in so many bytes. */
  private static final int LEAST_FOR_SLOTS = 4;

  private static final Cleaner CLEANER = Cleaner.create();

  private final ConcurrentMap<String, CachedFile> files = new MapMaker().weakValues().makeMap();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private Use told = new Use(0, 0);
  private final LongAdder evictions = new LongAdder();
  private final AtomicLong pinned = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();
  // All below: guarded by lock.
  private final EntryQueue newcomers = new EntryQueue(false);
  private final EntryQueue main = new EntryQueue(true);
  private final GhostTable ghosts = new GhostTable();
  private volatile long maxBytes;
  private volatile long usedBytes;

  public BlockCache(long maxBytes) {
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
      ghosts.resize(newMaxBytes);
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
      CachedFile made = newFile(name, slotCount);
      known = files.putIfAbsent(name, made);
      if (known == null) {
        return made;
      }
    }
    return known.slotCount() == slotCount ? known : newFile(name, slotCount);
  }

  /** The slots of a file that someone uses; null if nobody does. */
  public CachedFile known(String name) {
    return files.get(name);
  }

  private CachedFile newFile(String name, int slotCount) {
    PinnedBytes bytes = new PinnedBytes(pinned);
    CachedFile file = new CachedFile(this, name, slotCount, bytes);
    CLEANER.register(file, bytes);
    return file;
  }

  public long maxBytes() {
    return maxBytes;
  }

  /** Bytes of what slots hold. */
  public long usedBytes() {
    return usedBytes;
  }

  /** Bytes that may come in before anything has to leave. */
  public long freeBytes() {
    return Math.max(0, room() - usedBytes);
  }

  /** True if that much more fits without anything having to leave. */
  public boolean hasRoomFor(long bytes) {
    return usedBytes + bytes <= room();
  }

  boolean admits(CachedFile file, int slot, long weight) {
    if (hasRoomFor(weight) || ghosts.has(file, slot)) {
      return true;
    }
    ghosts.add(file, slot);
    return false;
  }

  /** Bytes of what is pinned. */
  public long pinnedBytes() {
    return pinned.get();
  }

  /** What was found in the cache since the last call, and what was not. */
  public record Use(long hits, long misses) {}

  /** Tells what happened since the last call, to whoever asks first. */
  public synchronized Use takeUse() {
    Use now = new Use(hits.sum(), misses.sum());
    Use since = new Use(now.hits() - told.hits(), now.misses() - told.misses());
    told = now;
    return since;
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

  void count(long newHits, long newMisses) {
    hits.add(newHits);
    misses.add(newMisses);
  }

  void insert(CachedFile file, int slot, Object value, long weight) {
    lock.lock();
    try {
      if (weight > room() || file.entries[slot] != null) {
        return;
      }
      makeRoom(weight);
      CacheEntry entry = new CacheEntry(file, slot, weight);
      (ghosts.take(file, slot) ? main : newcomers).append(entry);
      usedBytes = newcomers.bytes() + main.bytes();
      file.fill(entry, value);
    } finally {
      lock.unlock();
    }
  }

  void drop(CachedFile file) {
    lock.lock();
    try {
      for (CacheEntry entry : file.entries) {
        if (entry != null) {
          remove(entry);
        }
      }
      usedBytes = newcomers.bytes() + main.bytes();
    } finally {
      lock.unlock();
    }
  }

  /** Who asks for a file of that name from now on gets other slots. */
  void disown(CachedFile file) {
    files.remove(file.name(), file);
  }

  void makeRoomForPinned() {
    lock.lock();
    try {
      makeRoom(0);
    } finally {
      lock.unlock();
    }
  }

  /** Bytes that slots may hold. */
  private long room() {
    return Math.max(maxBytes - pinned.get(), maxBytes / LEAST_FOR_SLOTS);
  }

  private void makeRoom(long wanted) {
    long room = room();
    while (newcomers.bytes() + main.bytes() + wanted > room) {
      CacheEntry first = newcomers.first();
      if (first != null && (newcomers.bytes() > room / NEWCOMERS || main.first() == null)) {
        leaveNewcomers(first);
      } else {
        leaveMain(main.first());
      }
    }
    usedBytes = newcomers.bytes() + main.bytes();
  }

  private void leaveNewcomers(CacheEntry entry) {
    if (entry.owner.touched[entry.slot] != 0) {
      move(entry, newcomers);
    } else {
      ghosts.add(entry.owner, entry.slot);
      evict(entry);
    }
  }

  private void leaveMain(CacheEntry entry) {
    if (entry.owner.touched[entry.slot] != 0) {
      move(entry, main);
    } else {
      evict(entry);
    }
  }

  /** To the main queue's end, as something that was not used yet. */
  private void move(CacheEntry entry, EntryQueue from) {
    from.remove(entry);
    entry.owner.touched[entry.slot] = 0;
    main.append(entry);
  }

  private void evict(CacheEntry entry) {
    remove(entry);
    evictions.increment();
  }

  private void remove(CacheEntry entry) {
    (entry.main ? main : newcomers).remove(entry);
    entry.owner.clear(entry);
  }
}
