package io.groundswell.checkpoint;

import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What one store of a pipeline sees of the packs of epochs. Who opens a version names its id, and
 * by that its pack. Safe for many threads.
 */
public final class EpochSpace implements CommitSpace {
  /**
   * A batch that holds more in memory makes an object of its own: it is worth one, and a pack is
   * kept as a whole for the last of its commits.
   */
  static final long MOST_BYTES = 1 << 20;

  /** Where requests are slow a store's own files, which merges leave, are looked for so seldom. */
  private static final int LISTED_EVERY = 4;

  /** The same of a folder in which there were none: what another process leaves is found then. */
  private static final int EMPTY_LISTED_EVERY = 64;

  private final EpochPacks packs;
  private final String store;
  private final Function<String, ObjectStore> elsewhere;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile RoutedFolder own;

  /** What this process had written there when it was found empty; -1: it was not. */
  private volatile long emptyAt = -1;

  /**
   * @param store path of the store's folder from the folder that all stores are in
   */
  public EpochSpace(EpochPacks packs, String store) {
    this(packs, store, null);
  }

  /**
   * As above.
   *
   * @param elsewhere opens a folder of another store, told from what all stores are in; null: the
   *     store refers to no file of others
   */
  public EpochSpace(EpochPacks packs, String store, Function<String, ObjectStore> elsewhere) {
    this.packs = packs;
    this.store = store;
    this.elsewhere = elsewhere;
  }

  @Override
  public ObjectStore route(ObjectStore folder) {
    own = elsewhere == null ? new RoutedFolder(folder, packs)
                            : new RoutedFolder(folder, packs, elsewhere);
    return own;
  }

  @Override
  public List<ObjectInfo> objectsToRetire() throws IOException {
    if (!own.hasHighLatency()) {
      return own.list("");
    }
    long before = own.created();
    int every = emptyAt == before ? EMPTY_LISTED_EVERY : LISTED_EVERY;
    if (asked.getAndIncrement() % every != 0) {
      return List.of();
    }
    List<ObjectInfo> found = own.list("");
    emptyAt = found.isEmpty() ? before : -1;
    return found;
  }

  @Override
  public boolean isNamed() {
    return true;
  }

  @Override
  public boolean holds(String id) {
    return EpochIds.isPacked(id);
  }

  /** Barriers say where their commits go. */
  @Override
  public Destination destination(long version) {
    return Destination.ALONE;
  }

  @Override
  public FinishedCommit find(long version, String id) throws IOException {
    PackIndex.Entry found = id != null && holds(id) ? packs.find(store, version, id) : null;
    return found == null || found.version() != version ? null : found.commit();
  }

  @Override
  public Newest newest(long version) throws IOException {
    return new Newest(from(version).get(version), 0);
  }

  @Override
  public long newestVersion() throws IOException {
    NavigableMap<Long, FinishedCommit> all = from(0);
    return all.isEmpty() ? -1 : all.lastKey();
  }

  @Override
  public NavigableMap<Long, FinishedCommit> from(long version) throws IOException {
    NavigableMap<Long, FinishedCommit> found = new TreeMap<>();
    all(version).forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  /** Those that failed tasks have left, too: nobody but the epochs' documents tells which count. */
  @Override
  public List<Map.Entry<Long, FinishedCommit>> all(long version) throws IOException {
    List<Map.Entry<Long, FinishedCommit>> found = new ArrayList<>();
    for (String name : packs.names()) {
      List<PackIndex.Entry> entries;
      try {
        entries = packs.index(name).of(store);
      } catch (FileNotFoundException e) { // retired since the listing
        continue;
      }
      for (PackIndex.Entry entry : entries) {
        if (entry.version() >= version) {
          found.add(Map.entry(entry.version(), entry.commit()));
        }
      }
    }
    return found;
  }
}
