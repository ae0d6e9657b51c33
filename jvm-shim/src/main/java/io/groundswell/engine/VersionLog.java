package io.groundswell.engine;

import io.groundswell.checkpoint.BatchSpace;
import io.groundswell.checkpoint.CommitSpace;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.storage.SideRequests;
import io.groundswell.version.CommitReader;
import io.groundswell.version.OpenTables;
import io.groundswell.version.Version;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/** Finds and opens versions; keeps the last few in memory. Safe for many threads. */
final class VersionLog {
  private static final int REMEMBERED = 8;

  private record Name(long number, String id) {}

  private final ObjectStore folder;
  private final CommitSpace space;
  private final OpenTables tables;
  private final StoreCounters counters;
  private final OpenVersion empty;
  private final AtomicLong lastMillis = new AtomicLong();
  private volatile boolean idsLearned;

  // Both guarded by this.
  private final Map<Name, OpenVersion> remembered = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Name, OpenVersion> eldest) {
      return size() > REMEMBERED;
    }
  };

  /** The newest id of each version that this object committed. */
  private final Map<Long, String> committedHere = new HashMap<>();

  /** {@code space} is where commits may be beside the folder; null: nowhere. */
  VersionLog(ObjectStore folder, CommitSpace space, OpenTables tables, StoreCounters counters) {
    this.folder = folder;
    this.space = space;
    this.tables = tables;
    this.counters = counters;
    empty = new OpenVersion(Version.EMPTY, folder, tables);
  }

  /**
   * The version of that number and id; a null id is the newest one. What this object committed
   * itself needs no look at the storage.
   */
  OpenVersion open(long number, String id) {
    if (number < 0) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, folder.location() + ": version " + number + " is negative");
    }
    if (number == 0) {
      return empty;
    }
    synchronized (this) {
      String known = id == null ? committedHere.get(number) : id;
      OpenVersion open = known == null ? null : remembered.get(new Name(number, known));
      if (open != null) {
        return open;
      }
    }
    try {
      return read(number, id);
    } catch (FileNotFoundException e) {
      throw unavailable(number, id, e);
    } catch (IOException e) {
      throw new EngineException(ErrorCode.STORAGE,
          "cannot open version " + number + " of " + folder.location() + ": " + e, e);
    }
  }

  /** A version of that number without any row. */
  OpenVersion nothing(long number) {
    return new OpenVersion(Version.emptyAt(number), folder, tables);
  }

  private OpenVersion read(long number, String id) throws IOException {
    Place place = id == null ? newest(number) : named(number, id);
    synchronized (this) {
      OpenVersion open = remembered.get(new Name(number, place.id));
      if (open != null) {
        return open;
      }
    }
    Version version =
        CommitReader.read(folder, place.object, place.offset, place.length, number, place.id);
    counters.manifestsRead.increment();
    OpenVersion open = new OpenVersion(version, folder, tables);
    synchronized (this) {
      remembered.put(new Name(number, place.id), open);
    }
    return open;
  }

  /** Where a commit is: the bytes from offset on, {@code length} of them. */
  private record Place(String id, String object, long offset, long length) {
    static Place of(FinishedCommit commit) {
      return new Place(commit.id(), commit.pack(), commit.offset(), commit.length());
    }
  }

  /** The newest commits of a version in the folder and in a pack, each null if there is none. */
  private record Newest(ObjectInfo own, FinishedCommit packed) {}

  /** Looks in both places, side by side where a look is mostly waiting. */
  private Newest lookFor(long number) throws IOException {
    if (space == null || !folder.hasHighLatency()) {
      return new Newest(newestCommit(number), newestPacked(number));
    }
    FutureTask<FinishedCommit> packed = SideRequests.begin(() -> newestPacked(number));
    return new Newest(newestCommit(number), SideRequests.await(packed));
  }

  private Place newest(long number) throws IOException {
    Newest newest = lookFor(number);
    ObjectInfo own = newest.own;
    FinishedCommit packed = newest.packed;
    String ownId = own == null ? null : FileNames.parse(own.name()).id();
    if (packed != null) {
      lastMillis.accumulateAndGet(FileNames.millisOf(packed.id()), Math::max);
      if (ownId == null || packed.id().compareTo(ownId) > 0) {
        Mark.PACKED_COMMIT_IS_NEWER.hitIf(ownId != null);
        return Place.of(packed);
      }
    }
    if (own == null) {
      throw new FileNotFoundException("no commit of version " + number);
    }
    return new Place(ownId, own.name(), 0, own.length());
  }

  /** As opening a version does, for the first batch of all: it may be run again, too. */
  void learnIds() {
    if (space == null || space.isNamed() || idsLearned) {
      return;
    }
    try {
      lookFor(0);
      idsLearned = true;
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot look into " + folder.location() + ": " + e, e);
    }
  }

  /**
   * The commit in a pack, or null. Ids made from now on come after those that were not recorded.
   */
  private FinishedCommit newestPacked(long number) throws IOException {
    if (space == null) {
      return null;
    }
    BatchSpace.Newest newest = space.newest(number);
    lastMillis.accumulateAndGet(newest.latestMillisAbove(), Math::max);
    return newest.commit();
  }

  private Place named(long number, String id) throws IOException {
    if (!FileNames.isId(id)) {
      throw new FileNotFoundException("no commit can have the id '" + id + "'");
    }
    if (space != null && space.holds(id)) {
      FinishedCommit packed = space.find(number, id);
      if (packed == null) {
        throw new FileNotFoundException("its pack has no version " + number + " of the store");
      }
      return Place.of(packed);
    }
    String name = FileNames.commit(number, id);
    try {
      return new Place(id, name, 0, folder.length(name));
    } catch (FileNotFoundException e) {
      FinishedCommit packed = space == null ? null : space.find(number, id);
      if (packed == null) {
        throw e;
      }
      Mark.NAMED_COMMIT_IS_PACKED.hit();
      return Place.of(packed);
    }
  }

  /** Looks at all commits, so that ids made from now on come after those of every attempt. */
  private ObjectInfo newestCommit(long number) throws IOException {
    List<ObjectInfo> commits = folder.list(name -> {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed == null || !parsed.commit()) {
        return false;
      }
      lastMillis.accumulateAndGet(FileNames.millisOf(parsed.id()), Math::max);
      return parsed.version() == number;
    });
    return commits.stream().max(Comparator.comparing(ObjectInfo::name)).orElse(null);
  }

  /** The time in the next file's id: later than all known ones, whatever the clock says. */
  long nextMillis(long now) {
    return lastMillis.updateAndGet(last -> Math.max(last + 1, now));
  }

  /** Notes a version that was just committed. */
  OpenVersion committed(Version version) {
    OpenVersion open = new OpenVersion(version, folder, tables);
    synchronized (this) {
      remembered.put(new Name(version.number(), version.id()), open);
      committedHere.put(version.number(), version.id());
      committedHere.keySet().removeIf(number -> number < version.number() - REMEMBERED);
    }
    return open;
  }

  /** Forgets a version whose object is gone. */
  synchronized void forget(long number, String id) {
    remembered.remove(new Name(number, id));
    committedHere.remove(number, id);
  }

  /** All versions on storage, each with its newest id. */
  NavigableMap<Long, String> list() throws IOException {
    NavigableMap<Long, String> versions = new TreeMap<>();
    for (ObjectInfo object : folder.list("")) {
      FileNames.Parsed name = FileNames.parse(object.name());
      if (name != null && name.commit()) {
        versions.merge(name.version(), name.id(), VersionLog::later);
      }
    }
    if (space != null) {
      space.from(0).forEach(
          (version, commit) -> versions.merge(version, commit.id(), VersionLog::later));
    }
    return versions;
  }

  /** The greatest version that a file in the folder is named after; 0 for none. */
  long newestFile() throws IOException {
    long newest = 0;
    for (ObjectInfo object : folder.list("")) {
      FileNames.Parsed name = FileNames.parse(object.name());
      newest = name == null ? newest : Math.max(newest, name.version());
    }
    return newest;
  }

  private static String later(String a, String b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  private EngineException unavailable(long number, String id, Exception cause) {
    String existing;
    try {
      NavigableMap<Long, String> versions = list();
      existing = versions.isEmpty()
          ? "there are none"
          : versions.size() + " exist, from " + versions.firstKey() + " to " + versions.lastKey()
              + (id != null && versions.containsKey(number)
                      ? ", of this version the newest has id " + versions.get(number)
                      : "");
    } catch (IOException e) {
      existing = "those that exist cannot be listed: " + e;
    }
    boolean packed = id != null && space != null && space.holds(id);
    return new EngineException(ErrorCode.VERSION_UNAVAILABLE,
        folder.location()
            + (packed            ? " has version " + number + " in a pack: " + cause.getMessage()
                    : id == null ? " has no version " + number
                                 : "/" + FileNames.versionPrefix(number) + id
                        + FileNames.COMMIT_SUFFIX + " is not there, version " + number)
            + ": never committed, retired by retention, or deleted; " + existing,
        cause);
  }
}
