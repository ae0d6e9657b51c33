package io.groundswell.compaction;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The few daemon threads that merge for all stores of a JVM, with a bounded queue. */
public final class CompactionExecutor implements AutoCloseable {
  private static final int QUEUE = 4096;
  private static final long IDLE_SECONDS = 30;

  private final int count;
  private final ExecutorService threads;
  private final CarryBudget carried;

  /** {@code carriedBytes} of results may wait in memory for commits that take them along. */
  public CompactionExecutor(int count, long carriedBytes) {
    this(count, pool(count), carriedBytes);
  }

  /** Merges run where and when that executor runs them: for simulations. */
  public CompactionExecutor(int count, ExecutorService threads, long carriedBytes) {
    this.count = count;
    this.threads = threads;
    this.carried = new CarryBudget(carriedBytes);
  }

  private static ThreadPoolExecutor pool(int count) {
    ThreadPoolExecutor threads = new ThreadPoolExecutor(
        count, count, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE), work -> {
          Thread thread = new Thread(work, "groundswell-compaction");
          thread.setDaemon(true);
          return thread;
        });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** So many merges of all stores can run at once. */
  int threads() {
    return count;
  }

  CarryBudget carried() {
    return carried;
  }

  /** True if what was queued is not going to run. */
  boolean isClosed() {
    return threads.isShutdown();
  }

  /**
   * False if the queue is full or the executor closed: the caller tries again at its next commit.
   */
  boolean trySubmit(Runnable work) {
    try {
      threads.execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
