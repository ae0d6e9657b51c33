package io.groundswell.storage;

import java.io.IOException;
import java.util.List;

/** A slow storage with a {@link DiskCache} before its immutable objects. */
final class DiskCachedStore extends ForwardingObjectStore {
  private final DiskCache cache;

  DiskCachedStore(ObjectStore store, DiskCache cache) {
    super(store);
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
  public boolean has(String name) throws IOException {
    return store.has(name);
  }

  @Override
  public byte[] readIfThere(String name) throws IOException {
    return FileNames.isImmutable(name) ? super.readIfThere(name) : store.readIfThere(name);
  }

  @Override
  public int deleteAll(List<String> names) throws IOException {
    return store.deleteAll(names);
  }

  @Override
  public ObjectStore child(String folder) {
    return new DiskCachedStore(store.child(folder), cache);
  }
}
