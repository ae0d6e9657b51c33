package io.groundswell.checkpoint;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;

/** A store's folder, with packs by their names as if they stood in it; they are never listed. */
final class RoutedFolder extends ForwardingObjectStore {
  private final PackFolder packs;

  RoutedFolder(ObjectStore own, PackFolder packs) {
    super(own);
    this.packs = packs;
  }

  private ObjectStore of(String name) {
    return name.endsWith(FileNames.PACK_SUFFIX) ? packs : store;
  }

  @Override
  public long length(String name) throws IOException {
    return of(name).length(name);
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    return of(name).read(name, offset, length);
  }
}
