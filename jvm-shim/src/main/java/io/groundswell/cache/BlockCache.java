package io.groundswell.cache;

/** CONTRACT STUB, body follows: blocks of all stores of the JVM under one hard bound of bytes. */
public final class BlockCache {
  public BlockCache(long maxBytes) {}

  public long maxBytes() {
    throw new UnsupportedOperationException();
  }

  public long usedBytes() {
    throw new UnsupportedOperationException();
  }

  public long hits() {
    throw new UnsupportedOperationException();
  }

  public long misses() {
    throw new UnsupportedOperationException();
  }
}
