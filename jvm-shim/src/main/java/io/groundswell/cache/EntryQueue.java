package io.groundswell.cache;

/** A first-in-first-out queue of entries that can leave from anywhere; knows their weight. */
final class EntryQueue {
  private final boolean main;
  private final CacheEntry ring = new CacheEntry(null, 0, 0);
  private long bytes;

  EntryQueue(boolean main) {
    this.main = main;
    ring.next = ring;
    ring.previous = ring;
  }

  long bytes() {
    return bytes;
  }

  /** The entry that came first, or null. */
  CacheEntry first() {
    return ring.next == ring ? null : ring.next;
  }

  void append(CacheEntry entry) {
    entry.main = main;
    entry.previous = ring.previous;
    entry.next = ring;
    ring.previous.next = entry;
    ring.previous = entry;
    bytes += entry.weight;
  }

  void remove(CacheEntry entry) {
    entry.previous.next = entry.next;
    entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
    bytes -= entry.weight;
  }
}
