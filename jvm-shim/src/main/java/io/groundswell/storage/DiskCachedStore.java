package io.groundswell.storage;

import java.io.IOException;
import java.util.List;

/** A slow storage with a {@link DiskCache} before its immutable objects. */
final class DiskCachedStore implements ObjectStore {
  private final ObjectStore store;
  private final DiskCache cache;

  DiskCachedStore(ObjectStore store, DiskCache cache) {
    this.store = store;
    this.cache = cache;
  }

  /** Names of objects are given once for ever, so what is cached cannot be another one's. */
  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    if (!FileNames.isImmutable(name)) {
      return store.read(name, offset, length);
    }
    String object = location() + "/" + name;
    byte[] bytes = cache.get(object, offset, length);
    if (bytes == null) {
      bytes = store.read(name, offset, length);
      cache.put(object, offset, bytes);
    }
    return bytes;
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    return store.create(name);
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    store.put(name, bytes);
  }

  @Override
  public long length(String name) throws IOException {
    return store.length(name);
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    return store.list(prefix);
  }

  @Override
  public boolean delete(String name) throws IOException {
    return store.delete(name);
  }

  @Override
  public int sweep(long olderThanMillis) throws IOException {
    return store.sweep(olderThanMillis);
  }

  @Override
  public ObjectStore child(String folder) {
    return new DiskCachedStore(store.child(folder), cache);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
