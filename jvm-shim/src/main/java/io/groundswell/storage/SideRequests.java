package io.groundswell.storage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Requests that run beside their caller, for storage on which each is mostly waiting. The threads
 * are the JVM's, and end when there is nothing to do.
 */
public final class SideRequests {
  private static final int THREADS = 8;
  private static final long IDLE_SECONDS = 10;
  private static final Executor POOL = pool();

  private SideRequests() {}

  private static Executor pool() {
    ThreadPoolExecutor threads = new ThreadPoolExecutor(
        THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
          Thread thread = new Thread(task, "groundswell-requests");
          thread.setDaemon(true);
          return thread;
        });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Begins a request; {@link #await} gives what it answers. */
  public static <T> Future<T> begin(Callable<T> request) {
    FutureTask<T> task = new FutureTask<>(request);
    POOL.execute(task);
    return task;
  }

  /** What the request answers, or its exception. */
  public static <T> T await(Future<T> request) throws IOException {
    try {
      return request.get();
    } catch (InterruptedException e) {
      request.cancel(false);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for the storage");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException io) {
        throw io;
      }
      if (cause instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      throw new IllegalStateException(cause);
    }
  }
}
