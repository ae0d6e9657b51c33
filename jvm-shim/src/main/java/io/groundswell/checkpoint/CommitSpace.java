package io.groundswell.checkpoint;

import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** Where commits of one store may be beside its own folder. Safe for many threads. */
public interface CommitSpace {
  /** The store's folder, through which packs can be read, too. */
  ObjectStore route(ObjectStore own);

  /** What the store's folder holds, as far as this process may have to delete it. */
  List<ObjectInfo> objectsToRetire() throws IOException;

  /**
   * True if whoever opens a version names its id, and whoever retires names versions that are
   * there: nothing has to be looked for then.
   */
  boolean isNamed();

  /** True if a commit of this id is in a pack and nowhere else. */
  boolean holds(String id);

  /** Where the commit that makes this version goes, unless who commits says where. */
  Destination destination(long version);

  /** A commit in a pack; null if there is none. A null id takes the newest that is recorded. */
  FinishedCommit find(long version, String id) throws IOException;

  /** What a store that opens a version without naming an id has to know. */
  Newest newest(long version) throws IOException;

  /** The newest version that has a commit in a pack; -1 if there is none. */
  long newestVersion() throws IOException;

  /** As {@link #find} without an id, for every version from that one on. */
  NavigableMap<Long, FinishedCommit> from(long version) throws IOException;

  /** Every commit of this store in packs from that version on, by version and id. */
  List<Map.Entry<Long, FinishedCommit>> all(long version) throws IOException;

  /**
   * What a store that opens a version without naming an id has to know; one listing.
   *
   * @param commit as {@link #find}
   * @param latestMillisAbove the latest time in ids of commits of the version above: of a batch
   *     that may never have been recorded, and will be run again then; 0 if there is none
   */
  record Newest(FinishedCommit commit, long latestMillisAbove) {}
}
