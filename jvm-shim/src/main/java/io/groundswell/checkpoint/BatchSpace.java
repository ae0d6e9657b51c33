package io.groundswell.checkpoint;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** What one store sees of its checkpoint's packs. Safe for many threads. */
public final class BatchSpace implements CommitSpace {
  private final BatchPacks packs;
  private final String store;
  private final LongFunction<Destination> destinations;
  private volatile RoutedFolder folder;

  /**
   * @param store path of the store's folder from the folder that all stores are in
   * @param destinations where the commit that makes a version goes
   */
  public BatchSpace(BatchPacks packs, String store, LongFunction<Destination> destinations) {
    this.packs = packs;
    this.store = store;
    this.destinations = destinations;
  }

  /** The store's folder, through which packs can be read, too. */
  @Override
  public ObjectStore route(ObjectStore own) {
    folder = new RoutedFolder(own, packs);
    return folder;
  }

  /**
   * What the store's folder holds, as far as this process may have to delete it: no I/O while the
   * store writes to packs alone.
   */
  @Override
  public List<ObjectInfo> objectsToRetire() throws IOException {
    return folder.objectsToRetire();
  }

  @Override
  public Destination destination(long version) {
    return destinations.apply(version);
  }

  @Override
  public boolean isNamed() {
    return false;
  }

  @Override
  public boolean holds(String id) {
    return false;
  }

  /**
   * A commit in a pack; null if there is none. A null id takes the one that the last owner has
   * recorded; null if that is an object of its own.
   */
  @Override
  public FinishedCommit find(long version, String id) throws IOException {
    FinishedCommit found = null;
    for (String name : packs.indexesFrom(version)) { // the newest owner's is the last of a version
      if (PackNames.parse(name).number() == version) {
        FinishedCommit commit = packs.index(name).attempt(store, id);
        found = commit == null ? found : commit;
      }
    }
    return found == null || found.pack() == null ? null : found;
  }

  @Override
  public Newest newest(long version) throws IOException {
    FinishedCommit found = null;
    long latest = 0;
    for (String name : packs.indexesFrom(version)) {
      FinishedCommit commit = packs.index(name).attempt(store, null);
      if (commit == null) {
        continue;
      }
      if (PackNames.parse(name).number() == version) {
        found = commit;
      } else if (PackNames.parse(name).number() == version + 1) {
        latest = Math.max(latest, FileNames.millisOf(commit.id()));
      }
    }
    return new Newest(found == null || found.pack() == null ? null : found, latest);
  }

  /** The newest version that has a commit in a pack; -1 if there is none. */
  @Override
  public long newestVersion() throws IOException {
    List<String> names = packs.indexesFrom(0);
    for (int i = names.size() - 1; i >= 0; i--) {
      FinishedCommit commit = packs.index(names.get(i)).attempt(store, null);
      if (commit != null && commit.pack() != null) {
        return PackNames.parse(names.get(i)).number();
      }
    }
    return -1;
  }

  /** As {@link #find} without an id, for every version from that one on. */
  @Override
  public NavigableMap<Long, FinishedCommit> from(long version) throws IOException {
    NavigableMap<Long, FinishedCommit> found = new TreeMap<>();
    for (String name : packs.indexesFrom(version)) {
      FinishedCommit commit = packs.index(name).attempt(store, null);
      if (commit != null) {
        found.put(PackNames.parse(name).number(), commit);
      }
    }
    found.values().removeIf(commit -> commit.pack() == null);
    return found;
  }

  /** Every commit of this store in packs from that version on, by version and id. */
  @Override
  public List<Map.Entry<Long, FinishedCommit>> all(long version) throws IOException {
    List<Map.Entry<Long, FinishedCommit>> found = new ArrayList<>();
    for (String name : packs.indexesFrom(version)) {
      for (PackIndex.Entry entry : packs.index(name).of(store)) {
        if (entry.commit().pack() != null) {
          found.add(Map.entry(entry.version(), entry.commit()));
        }
      }
    }
    return found;
  }
}
