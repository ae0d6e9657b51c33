package io.groundswell.compaction;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;

/** Files of merges that nobody will refer to. */
final class MergedFiles {
  private MergedFiles() {}

  /** Deletes them all; gives what went wrong first, or null. */
  static IOException delete(ObjectStore folder, Iterable<String> files) {
    IOException first = null;
    for (String file : files) {
      try {
        if (FileNames.parse(file) != null) { // else it stands in the object of a commit
          folder.delete(file);
        }
      } catch (IOException | RuntimeException e) {
        first = first == null ? new IOException("could not delete " + file + ": " + e, e) : first;
      }
    }
    return first;
  }
}
