package io.groundswell.engine;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.version.CommitReader;
import io.groundswell.version.Version;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Deletes files that no retained version needs. Only names of the engine's own pattern are looked
 * at; whoever reads the same folder keeps the rest.
 */
final class Retirement {
  private final ObjectStore folder;

  /** Files that each retained commit refers to, by the commit's name. Guarded by this. */
  private final Map<String, Set<String>> references = new HashMap<>();

  Retirement(ObjectStore folder) {
    this.folder = folder;
  }

  /** Notes a commit, so that it need not be read back. */
  synchronized void committed(Version version) {
    references.put(FileNames.commit(version.number(), version.id()), version.files());
  }

  /**
   * Deletes and returns the commits' and merges' files that went.
   *
   * @param oldestRetained versions from here on stay; the newest one stays in any case
   * @param inUse files that live readers or merges of this process need
   */
  synchronized List<FileNames.Parsed> run(long oldestRetained, Set<String> inUse)
      throws IOException {
    List<ObjectInfo> objects = folder.list("");
    long newest = -1;
    for (ObjectInfo object : objects) {
      FileNames.Parsed name = FileNames.parse(object.name());
      if (name != null && name.commit()) {
        newest = Math.max(newest, name.version());
      }
    }
    if (newest < 0) {
      return List.of(); // no commit to compare with: somebody may be about to make the first
    }
    long oldest = Math.min(oldestRetained, newest);
    Set<String> needed = new HashSet<>(inUse);
    Set<String> retained = new HashSet<>();
    for (ObjectInfo object : objects) {
      FileNames.Parsed name = FileNames.parse(object.name());
      if (name != null && name.commit() && name.version() >= oldest) {
        retained.add(object.name());
        needed.add(object.name());
        needed.addAll(referencesOf(object, name));
      }
    }
    references.keySet().retainAll(retained);
    List<FileNames.Parsed> deleted = new ArrayList<>();
    for (ObjectInfo object : objects) {
      FileNames.Parsed name = FileNames.parse(object.name());
      // A merge's file from oldest on may belong to an attempt of another process that will still
      // refer to it.
      if (name != null
          && name.version() < oldest
          && !needed.contains(object.name())
          && folder.delete(object.name())) {
        deleted.add(name);
      }
    }
    return deleted;
  }

  private Set<String> referencesOf(ObjectInfo object, FileNames.Parsed name) throws IOException {
    Set<String> known = references.get(object.name());
    if (known == null) {
      try {
        known =
            CommitReader.read(folder, name.version(), name.id(), object.length()).files();
      } catch (FileNotFoundException e) { // retired by another process since the listing
        return Set.of();
      }
      references.put(object.name(), known);
    }
    return known;
  }
}
