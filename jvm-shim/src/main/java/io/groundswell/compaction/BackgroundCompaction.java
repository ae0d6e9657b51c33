package io.groundswell.compaction;

import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Version;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The merges of one store, off the commit path but for what is due before a {@link FirstCommit}: as
 * many at once as the executor has threads, none in another's way. Results wait here until a commit
 * takes them in, or until it turns out that none can, and then their files go.
 *
 * <p>Whatever fails in a merge, the versions are untouched: their inputs stay where they are, and
 * what was half-written is deleted now or by the next retirement.
 */
public final class BackgroundCompaction implements AutoCloseable {
  private final ObjectStore folder;
  private final Compactor compactor;
  private final CompactionExecutor executor;
  private final CompactionMetrics metrics;
  private final CompactionOptions options;
  private final LongFunction<String> newFileName;
  private final ToLongFunction<Version> safeEpochs;
  private final Object picking = new Object();
  private final FirstCommit first;

  // All guarded by this.
  private Version newest;
  private boolean carrying;
  private Set<String> sparse = Set.of();
  private int workers;
  private boolean wokenAtWork;
  private final List<CompactionTask> running = new ArrayList<>();
  private final List<WaitingResult> waiting = new ArrayList<>();
  private final Set<String> newFiles = new HashSet<>();
  private final List<CompactionResult> lent = new ArrayList<>();
  private final OwnCommits ownCommits = new OwnCommits();

  /** Another process merges: what is due is done here only where that one is far behind. */
  private volatile boolean elsewhere;

  private volatile boolean closed;

  /**
   * Makes the slots.
   *
   * @param newFileName names a file for the first version that may refer to it
   * @param safeEpochs of a version that is merged: no reader needs an older state from the result
   */
  public BackgroundCompaction(ObjectStore folder, Compactor compactor, CompactionExecutor executor,
      CompactionMetrics metrics, CompactionOptions options, LongFunction<String> newFileName,
      ToLongFunction<Version> safeEpochs) {
    this.folder = folder;
    this.compactor = compactor;
    this.executor = executor;
    this.metrics = metrics;
    this.options = options;
    this.newFileName = newFileName;
    this.safeEpochs = safeEpochs;
    this.first = new FirstCommit(folder.location(), options);
  }

  /**
   * All waiting results that fit a commit on this version and whose files are still there. Give the
   * offer back when the commit is done: until then its files count as in flight. What is too old
   * for another process to spare is left out: no look at the folder helps.
   */
  public synchronized MergeOffer offer(Version base, Catalogue tables) {
    Levels levels = base.levels();
    long safe = base.safeEpoch();
    List<CompactionResult> results = new ArrayList<>();
    for (Iterator<WaitingResult> all = waiting.iterator(); all.hasNext();) {
      WaitingResult one = all.next();
      if (!one.result.appliesTo(levels, tables) || !isSafe(one, base)) {
        continue;
      }
      try {
        one.check(folder);
      } catch (FileNotFoundException e) { // another process has cleaned up
        Mark.MERGE_RESULT_GONE.hit();
        all.remove();
        forget(one);
        metrics.discarded.increment();
        continue;
      } catch (IOException e) { // a later commit may have more luck
        Mark.MERGE_RESULT_UNREACHABLE.hit();
        continue;
      }
      one.offered = true;
      levels = one.result.applyTo(levels);
      safe = one.result.safeEpoch(safe);
      results.add(one.result);
    }
    lent.addAll(results);
    return MergeOffer.of(levels, safe, results, inFlight(), options, metrics);
  }

  /** Says whether another process merges, too. */
  public void elsewhere(boolean does) {
    elsewhere = does;
  }

  /** Takes a result of another process, as one of its own; false if its base does not have it. */
  public synchronized boolean accept(MergeRecord record, Version base) {
    CompactionResult result = record.on(base);
    if (closed || result == null
        || result.files().stream().anyMatch(file -> newFiles.contains(file.fileName()))) {
      return false;
    }
    result.files().forEach(file -> newFiles.add(file.fileName()));
    waiting.add(new WaitingResult(result, 0));
    metrics.accepted.increment();
    notifyAll();
    return true;
  }

  /** Ends the loan of {@link #offer}. */
  public synchronized void giveBack(MergeOffer offer) {
    offer.results().forEach(lent::remove);
  }

  /**
   * Merges on the caller's thread, before a first commit, what processes of before have left;
   * returns the milliseconds.
   *
   * @param below what the commit goes on from
   * @param shared whether the commit may share an object with those of other stores
   */
  public long catchUp(Version below, BooleanSupplier shared) {
    synchronized (this) {
      if (closed || elsewhere || !first.isBehind(below.levels())) {
        return 0;
      }
      newest = below;
      carrying = shared.getAsBoolean();
    }
    long start = System.nanoTime();
    for (int merges = 0; merges < FirstCommit.MERGES; merges++) {
      next().ifPresent(this::merge);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  /**
   * Tells of a commit: what it took in is settled, what can no longer be taken in goes, and the
   * pickers look at it, but for a process's first: it may be the only one.
   */
  public void committed(InstalledCommit commit) {
    Version version = commit.version();
    Set<String> gone = new HashSet<>();
    boolean mayBeLast;
    synchronized (this) {
      mayBeLast = first.committed();
      newest = version;
      carrying = commit.shared();
      sparse = commit.sparse();
      ownCommits.add(version);
      for (Iterator<WaitingResult> all = waiting.iterator(); all.hasNext();) {
        WaitingResult one = all.next();
        boolean taken = one.result.isIn(version.levels(), commit.places());
        if (!taken && one.result.appliesTo(version.levels(), version.tables())
            && isSafe(one, version)) {
          continue;
        }
        all.remove();
        forget(one);
        if (!taken) {
          Mark.MERGE_RESULT_TOO_LATE.hit();
          metrics.discarded.increment();
          if (!one.offered && one.isStored()) {
            one.result.files().forEach(file -> gone.add(file.fileName()));
          }
        }
      }
      ownCommits.forgetBelow(
          Stream.concat(running.stream(), waiting.stream().map(one -> one.result.task()))
              .mapToLong(task -> task.base().number())
              .reduce(version.number(), Math::min));
    }
    delete(gone);
    if (!mayBeLast) {
      wake();
    }
  }

  /** Whether no other process can take the files for too old to be taken in. */
  private boolean isSafe(WaitingResult one, Version version) {
    Version base = one.result.task().base();
    return !one.isStored() || version.number() - base.number() < options.retained()
        || ownCommits.lead(base, version);
  }

  /** Merges everything at once, on the caller's thread; false if it cannot or failed. */
  public boolean runNow(Version version) {
    Optional<CompactionTask> task =
        CompactionTask.full(version, options, safeEpochs.applyAsLong(version));
    synchronized (this) {
      if (closed || task.isEmpty() || !running.isEmpty()
          || waiting.stream().anyMatch(one -> !one.offered)) {
        return false;
      }
      running.add(task.get());
    }
    return merge(new MergeJob(task.get(), 0));
  }

  private synchronized void wake() {
    wokenAtWork = workers >= executor.threads(); // perhaps behind its look at what is due
    if (!closed && !options.never() && newest != null && !wokenAtWork
        && executor.trySubmit(this::work)) {
      workers++;
    }
  }

  /** One task, then back into the queue: other stores want their turn. */
  private void work() {
    boolean again = false;
    try {
      Optional<MergeJob> job = next();
      again = job.isPresent();
      job.ifPresent(this::merge);
    } finally {
      synchronized (this) {
        workers--;
        if (again || wokenAtWork) {
          wake();
        }
        notifyAll();
      }
    }
  }

  private Optional<MergeJob> next() {
    synchronized (picking) {
      Version version;
      InFlight busy;
      Set<String> leaving;
      synchronized (this) {
        if (closed) {
          return Optional.empty();
        }
        version = newest;
        busy = inFlight();
        leaving = LeavePicker.leaving(sparse, version.levels());
      }
      if (elsewhere && !CompactionPicker.isUrgent(version.levels(), options)) {
        return Optional.empty();
      }
      long safeEpoch = safeEpochs.applyAsLong(version);
      Optional<MergeJob> job =
          CompactionPicker.pick(version.levels(), busy, options, safeEpoch, leaving)
              .map(pick -> CompactionTask.of(version, pick, options, safeEpoch))
              .flatMap(this::job);
      synchronized (this) {
        job.ifPresent(one -> running.add(one.task()));
      }
      return job;
    }
  }

  private synchronized Optional<MergeJob> job(CompactionTask task) {
    return MergeJob.of(task, carrying, executor.carried(), options);
  }

  private InFlight inFlight() {
    List<Pick> picks = new ArrayList<>();
    running.forEach(task -> picks.add(task.pick()));
    waiting.forEach(one -> picks.add(one.result.task().pick()));
    return InFlight.of(picks);
  }

  /** Waits until a result is there or no merge runs, so long at most; returns the milliseconds. */
  public synchronized long awaitResult(long millis) {
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      for (long left = end - start; workers > 0 && !executor.isClosed()
          && waiting.stream().allMatch(one -> one.offered) && left > 0;
          left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the caller's next blocking call will tell
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  /** Files that no manifest refers to yet, but one may soon; and what running merges read. */
  public synchronized Set<String> filesInFlight() {
    Set<String> files = new HashSet<>(newFiles);
    lent.forEach(taken -> taken.files().forEach(file -> files.add(file.fileName())));
    running.forEach(task -> task.pick().files().forEach(file -> files.add(file.fileName())));
    return files;
  }

  /** Bytes that are due to be merged, at least. */
  public long pendingBytes(Levels levels) {
    return options.never() ? 0 : CompactionPicker.pendingBytes(levels, options);
  }

  /** Stops running merges and throws away what no commit has been offered. */
  @Override
  public void close() {
    Set<String> gone = new HashSet<>();
    synchronized (this) {
      closed = true;
      for (WaitingResult one : waiting) {
        if (!one.offered && one.isStored()) {
          one.result.files().forEach(file -> gone.add(file.fileName()));
        }
        forget(one);
      }
      waiting.clear();
      notifyAll();
    }
    delete(gone);
  }

  private boolean merge(MergeJob job) {
    CompactionTask task = job.task();
    Set<String> created = new HashSet<>();
    long reserved = job.reserved();
    try {
      CompactionResult done = reserved > 0
          ? compactor.carry(task, () -> newName(task), () -> closed)
          : compactor.run(task, () -> register(task, created), () -> closed);
      synchronized (this) {
        running.remove(task);
        if (closed) {
          newFiles.removeAll(created);
        } else {
          waiting.add(new WaitingResult(done, reserved));
          created.clear();
          reserved = 0;
        }
        notifyAll();
      }
      metrics.done(done);
      return !closed;
    } catch (IOException | RuntimeException | Error e) {
      synchronized (this) {
        running.remove(task);
        newFiles.removeAll(created);
        notifyAll();
      }
      if (!closed) {
        metrics.failures.increment();
        metrics.lastFailure = e.toString();
        pause();
      }
      return false;
    } finally {
      executor.carried().release(reserved);
      delete(created);
    }
  }

  /** After a failure the next commit tries again, not at once this thread. */
  private synchronized void pause() {
    Mark.MERGE_FAILED.hit();
    newest = newest == null ? null : Version.EMPTY;
  }

  private String newName(CompactionTask task) {
    return newFileName.apply(task.base().number() + 1);
  }

  private synchronized String register(CompactionTask task, Set<String> created) {
    String name = newName(task);
    created.add(name);
    newFiles.add(name);
    return name;
  }

  private void forget(WaitingResult one) {
    one.result.files().forEach(file -> newFiles.remove(file.fileName()));
    executor.carried().release(one.reserved);
  }

  private void delete(Set<String> files) {
    IOException failed = MergedFiles.delete(folder, files);
    if (failed != null) {
      metrics.lastFailure = failed.getMessage();
    }
  }
}
