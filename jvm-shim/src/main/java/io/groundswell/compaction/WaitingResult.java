package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;

/** A result that no commit took in so far. */
final class WaitingResult {
  final CompactionResult result;

  /** Bytes reserved for it, if it is carried. */
  final long reserved;

  /** A commit may have become visible with it, whatever its caller heard. */
  boolean offered;

  WaitingResult(CompactionResult result, long reserved) {
    this.result = result;
    this.reserved = reserved;
  }

  /** Whether it is in files of its own, in the folder. */
  boolean isStored() {
    return result.carried().isEmpty() && !result.files().isEmpty();
  }

  /**
   * Looks whether its files are there: a commit that failed may refer to some, and the others be
   * gone.
   */
  void check(ObjectStore folder) throws IOException {
    if (isStored()) {
      for (SstInfo file : result.files()) {
        folder.length(file.fileName());
      }
    }
  }
}
