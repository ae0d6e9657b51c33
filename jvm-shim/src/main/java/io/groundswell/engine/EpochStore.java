package io.groundswell.engine;

import io.groundswell.checkpoint.CommitSpace;
import io.groundswell.checkpoint.Destination;
import io.groundswell.compaction.BackgroundCompaction;
import io.groundswell.compaction.CompactionMetrics;
import io.groundswell.compaction.Compactor;
import io.groundswell.compaction.InstalledCommit;
import io.groundswell.compaction.MergeOffer;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.sst.FilterSize;
import io.groundswell.sst.SstInfo;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import io.groundswell.version.RunReader;
import io.groundswell.version.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/**
 * One LSM store over one folder. Safe for many threads; its transactions and snapshots are for one
 * thread at a time each. Several transactions may be open at once, on the same or on different
 * versions: their commits are different objects and do not see each other.
 */
public final class EpochStore implements AutoCloseable {
  /** What is being written is younger: the age of an open file counts from its start on HDFS. */
  static final long LEFTOVER_MILLIS = Duration.ofDays(1).toMillis();
  /** Leftovers are looked for once in so long. */
  private static final long SWEEP_EVERY_MILLIS = Duration.ofHours(1).toMillis();

  private final ObjectStore folder;
  private final CommitSpace space;
  private final String location;
  private final StoreOptions options;
  private final EngineServices services;
  private final StoreCounters counters = new StoreCounters();
  private final StoreUse.Told told = new StoreUse.Told();
  private final CompactionMetrics merges = new CompactionMetrics();
  private final VersionLog versions;
  private final Retirement retirement;
  private final CommitWriter commits;
  private final Compactor compactor;
  private final BackgroundCompaction compaction;
  private final OpenReaders readers;

  // All guarded by this.
  private long lastSweep;
  private Version newest = Version.EMPTY;
  private long newestBefore = -1; // not asked for yet
  private boolean closed;

  private EpochStore(
      ObjectStore own, CommitSpace space, StoreOptions options, EngineServices services) {
    this.space = space;
    folder = space == null ? own : space.route(own);
    location = folder.location();
    readers = new OpenReaders(location);
    this.options = options;
    this.services = services;
    versions = new VersionLog(folder, space, services.tables(), counters);
    retirement = new Retirement(folder, space);
    commits = new CommitWriter(folder, space, options.sst(), services.tables());
    compactor = new Compactor(folder, options.sst(), options.bottomSst(),
        info
        -> services.tables().get(folder, info),
        inputs -> services.tables().keepMerged(folder, inputs));
    compaction = new BackgroundCompaction(folder, compactor, services.compactions(), merges,
        options.compaction(), this::newSstName, readers::safeEpoch);
  }

  /** Does no I/O. The folder stays the caller's to close. */
  public static EpochStore at(ObjectStore folder, StoreOptions options, EngineServices services) {
    return at(folder, null, options, services);
  }

  /** As above; commits are found in {@code space}, too, and may be deferred through it. */
  public static EpochStore at(
      ObjectStore folder, CommitSpace space, StoreOptions options, EngineServices services) {
    return new EpochStore(folder, space, options, services);
  }

  /**
   * Opens the state at {@code version} for reading. {@code id} names one of several attempts that
   * committed this version; null takes the last one written. Version 0 is the empty store.
   */
  public Snapshot snapshot(long version, String id) {
    OpenVersion base = open(version, id);
    SnapshotReader snapshot =
        new SnapshotReader(base, location, base.version.number(), this::ended);
    readers.add(snapshot);
    return snapshot;
  }

  /** Starts a batch on top of {@code version}; its commit writes {@code version + 1}. */
  public Transaction begin(long version, String id) {
    OpenVersion base = open(version, id);
    if (version == 0) {
      versions.learnIds();
    }
    return begun(base);
  }

  /** Starts a batch on nothing; its commit writes {@code version}. For state from elsewhere. */
  public Transaction beginEmpty(long version) {
    if (version < 1) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, location() + ": no commit can write version " + version);
    }
    return begun(versions.nothing(version - 1));
  }

  /** Starts a batch on what other stores have, whose files stay where they are. */
  public Transaction beginTakingOver(long version, ImportedFiles taken) {
    return begun(new OpenVersion(taken.below(version), folder, services.tables()));
  }

  /**
   * Starts a batch on nothing for state that may have been there before and was given up: its
   * commit comes after all that are in the folder, so that what retires those spares it.
   *
   * @param least the version that it makes at least
   */
  public Transaction beginAnew(long least) {
    return beginEmpty(Math.max(least, Math.max(newestHere().number(), newestBefore()) + 1));
  }

  /** The newest version of a file in the folder when it was first asked for; 0 for none. */
  private synchronized long newestBefore() {
    if (newestBefore < 0) {
      try {
        newestBefore = versions.newestFile();
      } catch (IOException e) {
        throw new EngineException(ErrorCode.STORAGE, "cannot list " + location() + ": " + e, e);
      }
    }
    return newestBefore;
  }

  private Transaction begun(OpenVersion base) {
    StoreTransaction transaction = new StoreTransaction(this, base, services.memTables().open());
    try {
      readers.add(transaction);
    } catch (EngineException e) {
      Mark.BATCH_ON_RETIRED_VERSION.hit();
      transaction.abort();
      throw e;
    }
    return transaction;
  }

  OpenVersion open(long version, String id) {
    synchronized (this) {
      if (closed) {
        throw new EngineException(
            ErrorCode.ILLEGAL_STATE, "the store at " + location() + " is closed");
      }
    }
    readers.checkRetained(version);
    return versions.open(version, id);
  }

  Transaction.Commit commit(StoreTransaction batch, Catalogue tables, Destination to) {
    Version below = batch.base().version;
    Run spilled = batch.ownRun();
    counters.stallMillis.add(BackPressure.await(compaction, below, options));
    MergeOffer merged = compaction.offer(below, tables);
    CommitWriter.Written done;
    CommitRegion.Sealed written;
    try {
      CommitPlan plan = plan(below, merged, tables);
      done = commits.write(plan, spilled, batch.written(), batch.memoryBytes(), to);
      written = done.sealed();
      retirement.committed(written.version());
    } finally {
      compaction.giveBack(merged); // not before retirement knows who refers to its files
    }
    Version version = written.version();
    versions.committed(version);
    counters.committed(written.bytes(), written.rows());
    synchronized (this) {
      newest = version;
    }
    services.tables().replaced(folder, below.levels(), version.levels());
    var installed = new InstalledCommit(version, written.places(), done.shared(), done.sparse());
    compaction.committed(installed);
    return new Transaction.Commit(version.number(), version.id(), version.baseId(), written.bytes(),
        (int) written.rows(), version.levels().bytes());
  }

  private CommitPlan plan(Version below, MergeOffer merged, Catalogue tables) {
    List<SstInfo> dead =
        FastPath.DEAD_FILE.isOpen() ? Version.deadFiles(merged.levels(), tables) : List.of();
    merges.filesDropped.add(dead.size());
    // What merges drop below a watermark was live for readers of an earlier epoch.
    long safeEpoch =
        tables.watermarksEqual(below.tables()) ? merged.safeEpoch() : below.number() + 1;
    Levels levels = merged.levels().without(dead);
    Map<String, byte[]> carried = merged.carried();
    Mark.CARRIED_FILE_IS_DEAD.hitIf(
        carried.keySet().retainAll(levels.files().map(SstInfo::fileName).toList()));
    return new CommitPlan(below, newId(), levels, carried, safeEpoch, tables);
  }

  /**
   * Merges all levels of a version into the deepest now, on the caller's thread; the next commit on
   * top of it takes the result in. False if there is nothing to merge, or a merge is running or
   * waiting.
   */
  public boolean compact(long version, String id) {
    return compaction.runNow(open(version, id).version);
  }

  /** Merges by another process for the one that writes this store. */
  public ExternalMerges merges() {
    return new ExternalMerges(this, compaction);
  }

  void awaitMerges(long millis) {
    compaction.awaitResult(millis);
  }

  void ended(StoreTransaction transaction) {
    readers.remove(transaction);
    ended(transaction.files());
  }

  private void ended(SnapshotReader snapshot) {
    readers.remove(snapshot);
    ended(snapshot.files());
  }

  private synchronized void ended(BaseReads reads) {
    counters.add(reads.counters);
    reads.counters.cache.flush(services.tables().blocks());
  }

  /**
   * Deletes files that no version from {@code oldestRetained} on needs; returns how many. The
   * newest version stays, whatever was asked for, and so does what open transactions and snapshots
   * of this object read.
   */
  public int retire(long oldestRetained) {
    return retire(oldestRetained, oldestRetained);
  }

  /**
   * The same, but the files of merges that no commit has taken in yet stay from {@code oldestMerge}
   * on: another process may be about to. So {@code oldestRetained} may be the newest version.
   */
  public int retire(long oldestRetained, long oldestMerge) {
    retirement.begin();
    try {
      List<ObjectInfo> objects = retirement.objects();
      long oldest = oldestRetained;
      if (newestHere().number() <= oldestRetained && (space == null || !space.isNamed())) {
        oldest = Math.min(oldest, retirement.newestCommit(objects));
        Mark.NEWEST_VERSION_STAYS.hitIf(oldest < oldestRetained);
      }
      Set<String> inUse = readers.retire(oldest);
      inUse.addAll(compaction.filesInFlight());
      List<FileNames.Parsed> deleted =
          retirement.run(objects, oldest, Math.min(oldest, oldestMerge), inUse);
      for (FileNames.Parsed file : deleted) {
        versions.forget(file.version(), file.id());
        services.tables().forget(folder, file.name());
      }
      counters.retiredFiles.add(deleted.size());
      sweep();
      return deleted.size();
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot retire versions of " + location() + ": " + e, e);
    } finally {
      retirement.end();
    }
  }

  /** Files that open batches, snapshots and merges of this object need; those in packs, too. */
  public Set<String> filesInUse() {
    Set<String> files = readers.files();
    files.addAll(compaction.filesInFlight());
    return files;
  }

  /** Files that a version needs; those of other stores, too. */
  public Set<String> filesOf(long version, String id) {
    return open(version, id).version.files();
  }

  /** Whether batches or snapshots are open on it. */
  public boolean isInUse() {
    return readers.count() > 0;
  }

  private synchronized Version newestHere() {
    return newest;
  }

  /** Removes what writers that died long ago left half-written. */
  private void sweep() throws IOException {
    long now = services.clock().millis();
    synchronized (this) {
      if (now - lastSweep < SWEEP_EVERY_MILLIS) {
        return;
      }
      lastSweep = now;
    }
    counters.sweptFiles.add(folder.sweep(now - LEFTOVER_MILLIS));
  }

  /** Versions that can be opened, ascending, each with the id that {@code null} would take. */
  public NavigableMap<Long, String> versions() {
    try {
      NavigableMap<Long, String> all = versions.list();
      return all.tailMap(Math.min(readers.oldest(), all.isEmpty() ? 0 : all.lastKey()), true);
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot list the versions of " + location() + ": " + e, e);
    }
  }

  /** What has been done since the last call. */
  public StoreUse takeUse() {
    return told.take(counters, merges, services.tables().blocks());
  }

  public StoreMetrics metrics() {
    Version version = newestHere();
    FilterSize filters = services.tables().filters(folder, version.levels());
    return StoreMetrics.of(counters, services.tables().blocks(), merges, version.levels(),
        Map.of("version", version.number(), "memtableBytes", readers.memTableBytes(),
            "pinnedVersions", readers.count(), "pendingCompactionBytes",
            compaction.pendingBytes(version.levels()), "filterBytes", filters.bytes(), "filterKeys",
            filters.keys()));
  }

  /** Stops merges of this store. Open transactions and snapshots can still be ended. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    compaction.close();
    services.tables().forgetAll(folder); // who opens it again reads through another folder object
  }

  String location() {
    return location;
  }

  ObjectStore folder() {
    return folder;
  }

  StoreOptions options() {
    return options;
  }

  StoreCounters counters() {
    return counters;
  }

  Compactor compactor() {
    return compactor;
  }

  /** Opens nothing yet. */
  RunReader reader(Run run) {
    return new RunReader(run, info -> services.tables().get(folder, info));
  }

  void forgetReader(String file) {
    services.tables().forget(folder, file);
  }

  /** A name for a file that no version before that one refers to. */
  String newSstName(long version) {
    return FileNames.sst(version, newId());
  }

  /** A file id above all that this object gave out or saw, even if the clock stands or is late. */
  private String newId() {
    return FileNames.newId(
        versions.nextMillis(services.clock().millis()), services.idEnds().getAsInt());
  }
}
