package io.groundswell.engine;

import io.groundswell.checkpoint.CommitSpace;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.version.CommitReader;
import io.groundswell.version.Version;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Deletes files that no retained version needs. Only names of the engine's own pattern are looked
 * at; whoever reads the same folder keeps the rest.
 */
final class Retirement {
  private final ObjectStore folder;
  private final CommitSpace space;

  /** Commits that are remembered at least, so that a first run need not read them back. */
  private static final int LEAST = 64;

  // All guarded by this.

  /** Files that a commit refers to, by the commit's name; in the order in which they were noted. */
  private final Map<String, Set<String>> references = new LinkedHashMap<>();

  /** Who never runs, because another process does, must not remember all commits. */
  private int most = LEAST;

  /** Runs at work: what is committed after their listing is only known from here. */
  private int running;

  /** {@code space} is where commits may be beside the folder; null: nowhere. */
  Retirement(ObjectStore folder, CommitSpace space) {
    this.folder = folder;
    this.space = space;
  }

  /** Notes a commit, so that it need not be read back. */
  synchronized void committed(Version version) {
    references.put(FileNames.commit(version.number(), version.id()), version.files());
    forgetEldest();
  }

  /** To be called before a run looks at anything, and {@link #end} after it. */
  synchronized void begin() {
    running++;
  }

  /** The window of retained commits is as large as it is: twice that leaves it to the next run. */
  synchronized void end() {
    running--;
    most = Math.max(LEAST, 2 * references.size());
  }

  /** How many commits are remembered. */
  synchronized int remembered() {
    return references.size();
  }

  private void forgetEldest() {
    Iterator<String> eldest = references.keySet().iterator();
    for (int surplus = running > 0 ? 0 : references.size() - most; surplus > 0; surplus--) {
      eldest.next();
      eldest.remove();
    }
  }

  /** The objects that may have to go. */
  List<ObjectInfo> objects() throws IOException {
    return space == null ? folder.list("") : space.objectsToRetire();
  }

  /** The highest version that has a commit; -1 if there is none. */
  long newestCommit(List<ObjectInfo> objects) throws IOException {
    long newest = space == null ? -1 : space.newestVersion();
    for (ObjectInfo object : objects) {
      FileNames.Parsed name = FileNames.parse(object.name());
      if (name != null && name.commit()) {
        newest = Math.max(newest, name.version());
      }
    }
    return newest;
  }

  /**
   * Deletes and returns the commits' and merges' files that went.
   *
   * @param objects what the folder holds
   * @param oldest versions from here on stay; at most the newest one
   * @param oldestMerge merges' files from here on stay if no commit is known to have referred to
   *     them: one may yet; at most {@code oldest}
   * @param inUse files that live readers or merges of this process need, as of after the listing
   */
  synchronized List<FileNames.Parsed> run(List<ObjectInfo> objects, long oldest, long oldestMerge,
      Set<String> inUse) throws IOException {
    for (ObjectInfo object : objects) {
      FileNames.Parsed name = FileNames.parse(object.name());
      if (name != null && name.commit() && name.version() >= oldestMerge) {
        learn(object, name);
      }
    }
    Set<String> superseded = new HashSet<>();
    references.forEach((commit, files) -> {
      if (FileNames.parse(commit).version() < oldest) {
        superseded.addAll(files);
      }
    });
    references.keySet().removeIf(commit -> FileNames.parse(commit).version() < oldest);
    if (space != null && !candidates(objects, oldest, inUse).isEmpty()) {
      for (Map.Entry<Long, FinishedCommit> packed : space.all(oldest)) {
        if (!learn(packed.getKey(), packed.getValue()) && packed.getKey() == oldest) {
          Mark.OLDEST_COMMIT_UNREAD.hit();
          return List.of(); // and its base is not retained: nobody knows what it needs
        }
      }
    }
    List<FileNames.Parsed> deleted = new ArrayList<>();
    for (FileNames.Parsed name : candidates(objects, oldest, inUse)) {
      if (!name.commit() && name.version() >= oldestMerge && !superseded.contains(name.name())) {
        Mark.MERGED_FILE_SPARED.hit();
        continue;
      }
      FailPoints.hit("retirement.before-delete");
      if (folder.delete(name.name())) {
        deleted.add(name);
      }
      FailPoints.hit("retirement.after-delete");
    }
    return deleted;
  }

  /** What no commit needs of which the references are known. */
  private List<FileNames.Parsed> candidates(
      List<ObjectInfo> objects, long oldest, Set<String> inUse) {
    // Not only of what was listed: a commit may have been made since.
    Set<String> needed = new HashSet<>(inUse);
    references.values().forEach(needed::addAll);
    List<FileNames.Parsed> candidates = new ArrayList<>();
    for (ObjectInfo object : objects) {
      FileNames.Parsed name = FileNames.parse(object.name());
      // A merge's file from oldest on may belong to an attempt of another process that will still
      // refer to it.
      if (name != null && name.version() < oldest && !needed.contains(object.name())) {
        candidates.add(name);
      }
    }
    return candidates;
  }

  /** Notes what a commit in a pack refers to; false if the pack is not there, or not all of it. */
  private boolean learn(long version, FinishedCommit commit) throws IOException {
    String name = FileNames.commit(version, commit.id());
    if (references.containsKey(name)) {
      return true;
    }
    try {
      references.put(name,
          CommitReader
              .read(folder, commit.pack(), commit.offset(), commit.length(), version, commit.id())
              .files());
      return true;
    } catch (FileNotFoundException | EOFException e) {
      // Its index is there before its pack, or all of it. Whatever it needs its base needs, or is
      // younger; it is not remembered, for the pack may come.
      return false;
    }
  }

  private void learn(ObjectInfo object, FileNames.Parsed name) throws IOException {
    if (!references.containsKey(object.name())) {
      try {
        Version version = CommitReader.read(folder, name.version(), name.id(), object.length());
        references.put(object.name(), version.files());
      } catch (FileNotFoundException e) { // retired by another process since the listing
        Mark.COMMIT_GONE_SINCE_LISTING.hit();
        references.put(object.name(), Set.of());
      }
    }
  }
}
