package io.groundswell.storage;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/**
 * An object store that is another one but for what a subclass does differently. Reads into an array
 * come by {@link #read(String, long, int)}, so it is enough to override that.
 */
public abstract class ForwardingObjectStore implements ObjectStore {
  protected final ObjectStore store;

  protected ForwardingObjectStore(ObjectStore store) {
    this.store = store;
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
  public boolean putNew(String name, byte[] bytes) throws IOException {
    return store.putNew(name, bytes);
  }

  @Override
  public long length(String name) throws IOException {
    return store.length(name);
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    return store.read(name, offset, length);
  }

  @Override
  public boolean hasHighLatency() {
    return store.hasHighLatency();
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    return store.list(prefix);
  }

  @Override
  public List<ObjectInfo> list(Predicate<String> wanted) throws IOException {
    return store.list(wanted);
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
    return store.child(folder);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
