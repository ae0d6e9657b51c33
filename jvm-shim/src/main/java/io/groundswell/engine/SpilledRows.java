package io.groundswell.engine;

import io.groundswell.compaction.Compactor;
import io.groundswell.error.EngineException;
import io.groundswell.key.InternalKey;
import io.groundswell.memtable.MemTable;
import io.groundswell.sst.SstInfo;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import io.groundswell.storage.StorageErrors;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import io.groundswell.version.RunReader;
import io.groundswell.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * The rows of one batch that outgrew its memory: sorted runs in files of the batch's own, which no
 * version refers to before its commit does. What a dead process leaves behind bears the name of a
 * merge result of the version to come, and goes with that one's retirement.
 *
 * <p>All runs are of one epoch, and newer ones shadow older ones; so they are made one run before a
 * version sees them.
 */
final class SpilledRows {
  /** With so many runs they are merged before the batch goes on: reads ask each of them. */
  static final int MAX_RUNS = 32;

  private final EpochStore store;
  private final ObjectStore folder;
  private final Compactor compactor;
  private final long epoch;

  /** Newest first. */
  private List<Run> runs = List.of();

  /** Every file made and not deleted since. */
  private final Set<String> files = new HashSet<>();

  /** Files that a version may refer to. */
  private Set<String> published = Set.of();

  SpilledRows(EpochStore store, long epoch) {
    this.store = store;
    this.folder = store.folder();
    this.compactor = store.compactor();
    this.epoch = epoch;
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** Readers of the runs, newest first. */
  RunReader[] readers() {
    return runs.stream().map(store::reader).toArray(RunReader[] ::new);
  }

  synchronized Set<String> files() {
    return Set.copyOf(files);
  }

  /** Writes a mem-table's rows as the newest run; false if it has none. */
  boolean add(MemTable batch, Catalogue tables) {
    if (batch.writtenRows() == 0) {
      return false;
    }
    String name = newFile();
    SstInfo info;
    try (ObjectWriter out = folder.create(name)) {
      info = CommitRegion.writeRows(
          out, new CommitRegion.Place(name, 0), store.options().sst(), tables::layout, batch, null);
      FailPoints.hit("spill.before-publish");
      out.commit();
      FailPoints.hit("spill.after-publish");
    } catch (IOException e) {
      throw failed("spill a batch", e);
    }
    List<Run> newer = new ArrayList<>(runs.size() + 1);
    newer.add(Run.of(info));
    newer.addAll(runs);
    runs = newer;
    store.counters().spills.increment();
    store.counters().spilledBytes.add(info.length());
    return true;
  }

  /**
   * Makes the runs one. Files that do not overlap stay as they are; others are merged.
   *
   * @param bottom whether nothing lies below: then deletes go
   * @return the run; null if nothing is left
   */
  Run merge(Version below, Catalogue tables, boolean bottom) {
    if (runs.isEmpty()) {
      Mark.SPILL_GONE_BEFORE_COMMIT.hit();
      return null; // an earlier merge found that nothing is left
    }
    Run one = runs.size() == 1 ? runs.get(0) : sideBySide(runs);
    Mark.SPILL_SIDE_BY_SIDE.hitIf(one != null && runs.size() > 1);
    if (one == null) {
      Version base = new Version(epoch, null, below.id(), below.safeEpoch(), Levels.EMPTY, tables);
      try {
        one = compactor.merge(base, runs, bottom, store.options().targetFileBytes(), this::newFile,
            Thread.currentThread()::isInterrupted);
      } catch (CancellationException e) {
        throw failed("merge the spilled rows of a batch", e);
      } catch (IOException e) {
        throw failed("merge the spilled rows of a batch", e);
      }
    }
    Mark.SPILL_LEFT_NOTHING.hitIf(one.files().isEmpty());
    runs = one.files().isEmpty() ? List.of() : List.of(one);
    return runs.isEmpty() ? null : one;
  }

  /** All files as one run if no two of them overlap, else null. */
  static Run sideBySide(List<Run> runs) {
    List<SstInfo> files = new ArrayList<>();
    runs.forEach(run -> files.addAll(run.files()));
    files.sort(Comparator.comparing(
        SstInfo::smallest, (a, b) -> InternalKey.compare(a, a.length, b, b.length)));
    for (int i = 1; i < files.size(); i++) {
      byte[] before = files.get(i - 1).largest();
      byte[] after = files.get(i).smallest();
      if (InternalKey.compareStems(before, before.length - InternalKey.EPOCH_BYTES, after,
              after.length - InternalKey.EPOCH_BYTES)
          >= 0) {
        return null;
      }
    }
    return new Run(files);
  }

  /** From now on a version may refer to the run, whatever becomes of the commit. */
  void publishing(Run run) {
    Set<String> names = new HashSet<>();
    run.files().forEach(file -> names.add(file.fileName()));
    published = names;
  }

  /** Deletes the files that no version can refer to; what fails is left to retirement. */
  void close() {
    for (String name : files()) {
      if (!published.contains(name)) {
        try {
          folder.delete(name);
          store.forgetReader(name);
        } catch (IOException | RuntimeException e) {
          Mark.SPILL_FILE_STAYS.hit();
          continue;
        }
      }
      forget(name);
    }
    runs = List.of();
  }

  private synchronized String newFile() {
    String name = store.newSstName(epoch);
    files.add(name);
    return name;
  }

  private synchronized void forget(String name) {
    files.remove(name);
  }

  private EngineException failed(String what, Exception cause) {
    return StorageErrors.cannot(what + " for version " + epoch + " of " + store.location(), cause);
  }
}
