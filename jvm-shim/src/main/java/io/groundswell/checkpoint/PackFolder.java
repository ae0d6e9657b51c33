package io.groundswell.checkpoint;

import com.google.common.cache.Cache;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.util.List;

/**
 * A folder of packs as this JVM sees it: a pack that is in memory is read from there, and indexes
 * are remembered. Safe for many threads.
 */
public abstract class PackFolder extends ForwardingObjectStore {
  private final Cache<String, PackIndex> indexes;

  /** Packs stand in the folder {@code storage}; so many indexes are remembered. */
  PackFolder(ObjectStore storage, Cache<String, PackIndex> indexes) {
    super(storage);
    this.indexes = indexes;
  }

  /** A pack that need not be read from storage; null if it must be. */
  abstract Pack inMemory(String name);

  /** Reads an index from storage; a damaged one is {@code CORRUPTION}. */
  abstract PackIndex readIndex(String name) throws IOException;

  /** The index of that name; a damaged one is {@code CORRUPTION}. */
  public PackIndex index(String name) throws IOException {
    PackIndex known = indexes.getIfPresent(name);
    if (known == null) {
      known = readIndex(name);
      indexes.put(name, known);
    }
    return known;
  }

  /** Remembers an index that was just written. */
  void remember(String name, PackIndex index) {
    indexes.put(name, index);
  }

  boolean remembers(String name) {
    return indexes.getIfPresent(name) != null;
  }

  @Override
  public int deleteAll(List<String> names) throws IOException {
    int deleted = store.deleteAll(names);
    indexes.invalidateAll(names);
    return deleted;
  }

  @Override
  public long length(String name) throws IOException {
    Pack pack = inMemory(name);
    return pack == null ? store.length(name) : pack.length();
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    Pack pack = inMemory(name);
    return pack == null ? store.read(name, offset, length) : pack.read(offset, length);
  }

  /** The storage behind stays open: others may read through it. */
  @Override
  public void close() {}
}
