package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * The merges of one store: one at a time, off the commit path. A result waits here until a commit
 * takes it in, or until it turns out that none can, and then its files go.
 *
 * <p>Whatever fails in a merge, the versions are untouched: their inputs stay where they are, and
 * what was half-written is deleted now or by the next retirement.
 */
public final class BackgroundCompaction implements AutoCloseable {
  private final ObjectStore folder;
  private final Compactor compactor;
  private final CompactionExecutor executor;
  private final CompactionMetrics metrics;
  private final LongFunction<String> newFileName;

  // All guarded by this.
  private boolean running;
  private CompactionResult result;
  private boolean resultOffered;
  private final Set<String> newFiles = new HashSet<>();
  private final List<CompactionResult> lent = new ArrayList<>();

  private volatile boolean closed;

  /**
   * Makes the slot; {@code newFileName} names a file for the first version that may refer to it.
   */
  public BackgroundCompaction(ObjectStore folder, Compactor compactor, CompactionExecutor executor,
      CompactionMetrics metrics, LongFunction<String> newFileName) {
    this.folder = folder;
    this.compactor = compactor;
    this.executor = executor;
    this.metrics = metrics;
    this.newFileName = newFileName;
  }

  /** Whether a new merge could be started now. */
  public synchronized boolean idle() {
    return !running && !closed && (result == null || resultOffered);
  }

  /** Starts the merge in the background, unless one is running or waiting to be taken in. */
  public synchronized boolean start(CompactionTask task) {
    if (!idle()) {
      return false;
    }
    running = true;
    if (!executor.trySubmit(() -> merge(task))) {
      running = false;
    }
    return running;
  }

  /** Merges at once, on the caller's thread; false if one is running or it failed. */
  public boolean runNow(CompactionTask task) {
    synchronized (this) {
      if (!idle()) {
        return false;
      }
      running = true;
    }
    return merge(task);
  }

  /**
   * The waiting result, if these runs may take it in and its files are still there; else null. Give
   * it back when the commit is done: until then its files count as in flight. They are never
   * deleted here any more, because a commit that failed may yet have become visible.
   */
  public synchronized CompactionResult offer(Levels levels, Catalogue tables) {
    if (result == null || !result.appliesTo(levels, tables)) {
      return null;
    }
    try {
      for (SstInfo file : result.files()) {
        folder.length(file.fileName());
      }
    } catch (FileNotFoundException e) { // another process has cleaned up
      forget();
      metrics.discarded.increment();
      return null;
    } catch (IOException e) { // a later commit may have more luck
      return null;
    }
    resultOffered = true;
    lent.add(result);
    return result;
  }

  /** Waits until no merge is running, so long at most; returns the milliseconds it took. */
  public synchronized long awaitIdle(long millis) {
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      for (long left = end - start; running && left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the caller's next blocking call will tell
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  /** Ends the loan of {@link #offer}. */
  public synchronized void giveBack(CompactionResult taken) {
    lent.remove(taken);
  }

  /** Drops a waiting result that the newest version cannot take in. */
  public synchronized void dropUnless(Levels levels, Catalogue tables) {
    if (result != null && !resultOffered && !result.appliesTo(levels, tables)) {
      Set<String> files = Set.copyOf(newFiles);
      forget();
      metrics.discarded.increment();
      delete(files);
    }
  }

  /** Files that no manifest refers to yet, but one may soon. */
  public synchronized Set<String> filesInFlight() {
    Set<String> files = new HashSet<>(newFiles);
    lent.forEach(taken -> taken.files().forEach(file -> files.add(file.fileName())));
    return files;
  }

  /** Stops a running merge and throws away what no commit has been offered. */
  @Override
  public synchronized void close() {
    closed = true;
    if (!running && result != null && !resultOffered) {
      Set<String> files = Set.copyOf(newFiles);
      forget();
      delete(files);
    }
  }

  private boolean merge(CompactionTask task) {
    Set<String> created = new HashSet<>();
    try {
      CompactionResult done = compactor.run(task, () -> register(task, created), () -> closed);
      synchronized (this) {
        stopped();
        if (closed) {
          newFiles.removeAll(created);
        } else {
          newFiles.retainAll(created); // of an older result that was taken in long ago
          result = done;
          resultOffered = false;
          created.clear();
        }
      }
      metrics.runs.increment();
      long written = done.files().stream().mapToLong(SstInfo::length).sum();
      metrics.bytesWritten.add(written);
      metrics.entriesDropped.add(dropped(done));
      return !closed;
    } catch (IOException | RuntimeException | Error e) {
      synchronized (this) {
        stopped();
        newFiles.removeAll(created);
      }
      if (!closed) {
        metrics.failures.increment();
        metrics.lastFailure = e.toString();
      }
      return false;
    } finally {
      delete(created);
    }
  }

  private synchronized String register(CompactionTask task, Set<String> created) {
    String name = newFileName.apply(task.base().number() + 1);
    created.add(name);
    newFiles.add(name);
    return name;
  }

  private void stopped() {
    running = false;
    notifyAll();
  }

  private void forget() {
    newFiles.removeAll(result.files().stream().map(SstInfo::fileName).toList());
    result = null;
    resultOffered = false;
  }

  private void delete(Set<String> files) {
    for (String file : files) {
      try {
        if (FileNames.parse(file) != null) {
          folder.delete(file);
        }
      } catch (IOException | RuntimeException e) {
        metrics.lastFailure = "could not delete " + file + ": " + e;
      }
    }
  }

  private static long dropped(CompactionResult done) {
    long in = done.task().inputs().stream().mapToLong(Run::entries).sum();
    return in - done.output().entries();
  }
}
