package io.groundswell.sst;

import io.groundswell.cache.BlockCache;
import io.groundswell.iter.Found;
import io.groundswell.storage.ObjectStore;

/** CONTRACT STUB, body follows: reads one SST; safe for many threads; open does no I/O. */
public final class SstReader {
  private SstReader() {}

  public static SstReader open(ObjectStore store, SstInfo info, BlockCache cache) {
    throw new UnsupportedOperationException();
  }

  public SstInfo info() {
    throw new UnsupportedOperationException();
  }

  /** False if no row with this partition hash is in here; ask before {@link #get}. */
  public boolean mayContain(int tableId, int hash) {
    throw new UnsupportedOperationException();
  }

  /**
   * The newest version at or below {@code epoch} of the row whose stem (internal key without epoch)
   * is {@code stem[0, stemLength)}.
   *
   * @return {@link Found#FOUND}, {@link Found#DELETED} or {@link Found#ABSENT}
   */
  public int get(byte[] stem, int stemLength, long epoch, Found out) {
    throw new UnsupportedOperationException();
  }

  /** A cursor before its first seek; blocks it misses enter the cache if {@code fillCache}. */
  public SstCursor cursor(boolean fillCache) {
    throw new UnsupportedOperationException();
  }

  /** Bytes of memory that this reader keeps outside of the cache, about. */
  public long memoryBytes() {
    throw new UnsupportedOperationException();
  }
}
