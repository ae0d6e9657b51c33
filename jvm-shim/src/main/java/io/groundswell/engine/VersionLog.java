package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.version.CommitReader;
import io.groundswell.version.OpenTables;
import io.groundswell.version.Version;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Finds and opens versions; keeps the last few in memory. Safe for many threads. */
final class VersionLog {
  private static final int REMEMBERED = 8;

  private record Name(long number, String id) {}

  private final ObjectStore folder;
  private final OpenTables tables;
  private final StoreCounters counters;
  private final OpenVersion empty;
  private final AtomicLong lastMillis = new AtomicLong();

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

  VersionLog(ObjectStore folder, OpenTables tables, StoreCounters counters) {
    this.folder = folder;
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
    String wanted = id;
    long length = -1;
    if (wanted == null) {
      ObjectInfo newest = newestCommit(number);
      if (newest == null) {
        throw new FileNotFoundException("no commit of version " + number);
      }
      wanted = FileNames.parse(newest.name()).id();
      length = newest.length();
      synchronized (this) {
        OpenVersion open = remembered.get(new Name(number, wanted));
        if (open != null) {
          return open;
        }
      }
    }
    Version version = CommitReader.read(folder, number, wanted, length);
    counters.manifestsRead.increment();
    OpenVersion open = new OpenVersion(version, folder, tables);
    synchronized (this) {
      remembered.put(new Name(number, wanted), open);
    }
    return open;
  }

  /** Looks at all commits, so that ids made from now on come after those of every attempt. */
  private ObjectInfo newestCommit(long number) throws IOException {
    ObjectInfo newest = null;
    for (ObjectInfo object : folder.list("")) {
      FileNames.Parsed name = FileNames.parse(object.name());
      if (name == null || !name.commit()) {
        continue;
      }
      lastMillis.accumulateAndGet(FileNames.millisOf(name.id()), Math::max);
      if (name.version() == number
          && (newest == null || object.name().compareTo(newest.name()) > 0)) {
        newest = object;
      }
    }
    return newest;
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
        versions.merge(name.version(), name.id(), (a, b) -> a.compareTo(b) > 0 ? a : b);
      }
    }
    return versions;
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
    return new EngineException(ErrorCode.VERSION_UNAVAILABLE,
        folder.location() + " has no version " + number + (id == null ? "" : " with id " + id)
            + ": never committed, or retired by retention; " + existing,
        cause);
  }
}
