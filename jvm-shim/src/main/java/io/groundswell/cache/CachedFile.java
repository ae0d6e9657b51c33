package io.groundswell.cache;

import io.groundswell.storage.FastPath;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** One file's slots in the cache. All readers of the file that are open at a time share it. */
public final class CachedFile {
  private final BlockCache cache;
  private final String name;
  private final AtomicReferenceArray<Object> slots;

  /**
   * Set by every hit, cleared by the queues. Apart from the entries, as a hit must not touch their
   * memory; a lost race costs one early miss.
   */
  final byte[] touched;

  /** Guarded by the cache's lock. */
  final CacheEntry[] entries;

  private final PinnedBytes pinnedBytes;
  private volatile Object pinned;

  /** Guarded by this. */
  private boolean retired;

  CachedFile(BlockCache cache, String name, int slotCount, PinnedBytes pinnedBytes) {
    this.cache = cache;
    this.name = name;
    this.slots = new AtomicReferenceArray<>(slotCount);
    this.touched = new byte[slotCount];
    this.entries = new CacheEntry[slotCount];
    this.pinnedBytes = pinnedBytes;
  }

  public String name() {
    return name;
  }

  public int slotCount() {
    return touched.length;
  }

  /** What the slot holds, or null. */
  public Object get(int slot) {
    Object value = slots.getAcquire(slot);
    if (value == null || !FastPath.CACHED_BLOCK.isOpen()) {
      return null;
    }
    if (touched[slot] == 0) {
      touched[slot] = 1;
    }
    return value;
  }

  /** Like {@link #get}, but not taken for a use. */
  public Object peek(int slot) {
    return slots.getAcquire(slot);
  }

  /** How many slots hold something that was used since it came in, or was moved on. */
  public int usedSlots() {
    int used = 0;
    for (int i = 0; i < touched.length; i++) {
      used += touched[i] != 0 && slots.getPlain(i) != null ? 1 : 0;
    }
    return used;
  }

  /**
   * Whether a value that was missed is worth being put in: there is room, or it was missed before,
   * not long ago.
   */
  public boolean admits(int slot, long weight) {
    return cache.admits(this, slot, weight);
  }

  /**
   * Puts an immutable value in, unless it is larger than the cache or another thread was first.
   *
   * @param weight bytes of memory, objects included
   */
  public void put(int slot, Object value, long weight) {
    cache.insert(this, slot, value, weight);
  }

  /** What was pinned, or null. */
  public Object pinned() {
    return pinned;
  }

  /**
   * Keeps a value for as long as this file is used by anyone; it takes its weight from the room
   * for slots. Returns the value that is pinned: that of another thread if it was first; null if
   * the file was retired, so that slots never hold what only an earlier value knows how to read.
   */
  public Object pin(Object value, long weight) {
    synchronized (this) {
      if (pinned != null || retired) {
        return pinned;
      }
      pinned = value;
      pinnedBytes.set(weight);
    }
    cache.makeRoomForPinned();
    return value;
  }

  /**
   * Gives back all memory, as when the file was deleted or is hardly read any more. Who still uses
   * this object may, but what is pinned is kept by nobody else; who asks for a file of that name
   * from now on gets another one.
   */
  public void retire() {
    cache.disown(this);
    synchronized (this) {
      retired = true;
      pinned = null;
      pinnedBytes.set(0);
    }
    cache.drop(this);
  }

  /** Empties all slots. */
  public void drop() {
    cache.drop(this);
  }

  /** Under the cache's lock. */
  void fill(CacheEntry entry, Object value) {
    entries[entry.slot] = entry;
    touched[entry.slot] = 0;
    slots.setRelease(entry.slot, value);
  }

  /** Under the cache's lock. */
  void clear(CacheEntry entry) {
    entries[entry.slot] = null;
    slots.setRelease(entry.slot, null);
  }
}
