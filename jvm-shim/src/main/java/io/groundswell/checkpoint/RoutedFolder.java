package io.groundswell.checkpoint;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store's folder, with packs by their names as if they stood in it; they are never listed. While
 * all that the store writes goes to packs its own folder is empty, and retirement need not list it
 * once that was seen.
 */
final class RoutedFolder extends ForwardingObjectStore {
  private final ObjectStore packs;
  private final AtomicLong created = new AtomicLong();

  /** How many objects had been begun when the folder was seen empty; -1: it never was. */
  private volatile long emptyAt = -1;

  RoutedFolder(ObjectStore own, ObjectStore packs) {
    super(own);
    this.packs = packs;
  }

  @Override
  public String locationOf(String name) {
    return of(name).location() + "/" + name;
  }

  private ObjectStore of(String name) {
    return name.endsWith(FileNames.PACK_SUFFIX) ? packs : store;
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    created.incrementAndGet();
    return store.create(name);
  }

  /** As a listing, but of what other processes wrote since it was empty nothing may be shown. */
  List<ObjectInfo> objectsToRetire() throws IOException {
    long before = created.get();
    if (emptyAt == before) {
      return List.of();
    }
    List<ObjectInfo> objects = store.list("");
    if (objects.isEmpty()) {
      emptyAt = before;
    }
    return objects;
  }

  @Override
  public int sweep(long olderThanMillis) throws IOException {
    return emptyAt == created.get() ? 0 : store.sweep(olderThanMillis);
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
  public void read(String name, long offset, int length, byte[] into) throws IOException {
    of(name).read(name, offset, length, into);
  }
}
