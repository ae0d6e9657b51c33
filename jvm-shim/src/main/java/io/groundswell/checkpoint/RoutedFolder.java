package io.groundswell.checkpoint;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.util.List;

/** A store's folder, with packs by their names as if they stood in it; they are never listed. */
final class RoutedFolder implements ObjectStore {
  private final ObjectStore own;
  private final PackFolder packs;

  RoutedFolder(ObjectStore own, PackFolder packs) {
    this.own = own;
    this.packs = packs;
  }

  private ObjectStore of(String name) {
    return name.endsWith(FileNames.PACK_SUFFIX) ? packs : own;
  }

  @Override
  public String location() {
    return own.location();
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    return own.create(name);
  }

  @Override
  public long length(String name) throws IOException {
    return of(name).length(name);
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    return of(name).read(name, offset, length);
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    return own.list(prefix);
  }

  @Override
  public boolean delete(String name) throws IOException {
    return own.delete(name);
  }

  @Override
  public int sweep(long olderThanMillis) throws IOException {
    return own.sweep(olderThanMillis);
  }

  @Override
  public ObjectStore child(String folder) {
    return own.child(folder);
  }

  @Override
  public void close() throws IOException {
    own.close();
  }
}
