package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A store's folder, with packs, and files of other stores, by their names as if they stood in it;
 * they are never listed, created or deleted. While
 * all that the store writes goes to packs its own folder is empty, and retirement need not list it
 * once that was seen.
 */
final class RoutedFolder extends ForwardingObjectStore {
  private final ObjectStore packs;
  private final Function<String, ObjectStore> elsewhere;
  private final ConcurrentMap<String, ObjectStore> others = new ConcurrentHashMap<>();
  private final AtomicLong created = new AtomicLong();

  /** How many objects had been begun when the folder was seen empty; -1: it never was. */
  private volatile long emptyAt = -1;

  /** Of a store that refers to no file of another one. */
  RoutedFolder(ObjectStore own, ObjectStore packs) {
    this(own, packs, folder -> {
      throw new EngineException(ErrorCode.CORRUPTION,
          own.location() + " refers to files in " + folder + ", and can have none of other stores");
    });
  }

  /**
   * @param elsewhere opens a folder, told from what all stores are in
   */
  RoutedFolder(ObjectStore own, ObjectStore packs, Function<String, ObjectStore> elsewhere) {
    super(own);
    this.packs = packs;
    this.elsewhere = elsewhere;
  }

  @Override
  public String locationOf(String name) {
    return of(name).locationOf(in(name));
  }

  private ObjectStore of(String name) {
    if (FileNames.isElsewhere(name)) {
      return others.computeIfAbsent(FileNames.folderOf(name), elsewhere);
    }
    return name.endsWith(FileNames.PACK_SUFFIX) ? packs : store;
  }

  private static String in(String name) {
    return FileNames.isElsewhere(name) ? FileNames.nameIn(name) : name;
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    created.incrementAndGet();
    return store.create(name);
  }

  @Override
  public ObjectWriter createPending(String name) throws IOException {
    created.incrementAndGet();
    return store.createPending(name);
  }

  /** How many objects this process has begun to write in the store's folder. */
  long created() {
    return created.get();
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
    return of(name).length(in(name));
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    return of(name).read(in(name), offset, length);
  }

  @Override
  public void read(String name, long offset, int length, byte[] into) throws IOException {
    of(name).read(in(name), offset, length, into);
  }
}
