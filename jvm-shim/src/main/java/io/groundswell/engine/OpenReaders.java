package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.version.Version;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * What is open on a store, and from which version on it is retained: who reads keeps files and old
 * rows alive, and nobody begins to read what is being deleted. Safe for many threads.
 */
final class OpenReaders {
  private final String location;

  // All guarded by this.
  private final Set<StoreTransaction> transactions = identitySet();
  private final Set<SnapshotReader> snapshots = identitySet();
  private long oldest;

  OpenReaders(String location) {
    this.location = location;
  }

  /** Refuses a snapshot of a version that was retired while it was opened. */
  synchronized void add(SnapshotReader snapshot) {
    checkRetained(snapshot.version());
    snapshots.add(snapshot);
  }

  /** Refuses a batch on a version that was retired while it was opened. */
  synchronized void add(StoreTransaction transaction) {
    checkRetained(transaction.baseVersion());
    transactions.add(transaction);
  }

  synchronized void remove(SnapshotReader snapshot) {
    snapshots.remove(snapshot);
  }

  synchronized void remove(StoreTransaction transaction) {
    transactions.remove(transaction);
  }

  /** Raises {@code VERSION_UNAVAILABLE} if the version was retired. */
  synchronized void checkRetained(long version) {
    if (version > 0 && version < oldest) {
      throw new EngineException(ErrorCode.VERSION_UNAVAILABLE,
          location + ": version " + version + " was retired; the oldest that is retained is "
              + oldest);
    }
  }

  /** The oldest version that is retained; 0: all are. */
  synchronized long oldest() {
    return oldest;
  }

  /** From now on nobody opens what is older; returns the files that those need who did before. */
  synchronized Set<String> retire(long newOldest) {
    oldest = Math.max(oldest, newOldest);
    return files();
  }

  /** Files that open batches and snapshots need. */
  synchronized Set<String> files() {
    Set<String> files = new HashSet<>();
    for (StoreTransaction transaction : transactions) {
      addFiles(files, transaction.base().version);
      files.addAll(transaction.spilled().files());
    }
    snapshots.forEach(snapshot -> addFiles(files, snapshot.base().version));
    return files;
  }

  private static void addFiles(Set<String> files, Version version) {
    files.addAll(version.files());
    if (version.id() != null) {
      files.add(FileNames.commit(version.number(), version.id()));
    }
  }

  /** No reader of this process needs an older state than this from the merge's result. */
  synchronized long safeEpoch(Version merged) {
    return snapshots.stream().mapToLong(SnapshotReader::version).reduce(merged.number(), Math::min);
  }

  /** Open batches and snapshots. */
  synchronized long count() {
    return transactions.size() + snapshots.size();
  }

  /** Bytes that open batches hold in memory. */
  synchronized long memTableBytes() {
    return transactions.stream().mapToLong(StoreTransaction::memoryBytes).sum();
  }

  private static <T> Set<T> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
