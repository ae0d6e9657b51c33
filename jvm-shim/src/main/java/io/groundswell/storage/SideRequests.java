package io.groundswell.storage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Requests that run beside their caller, for storage on which each is mostly waiting. The threads
 * are the JVM's, and end when there is nothing to do.
 */
public final class SideRequests {
  private static final int THREADS = 16;
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
  public static <T> FutureTask<T> begin(Callable<T> request) {
    FutureTask<T> task = new FutureTask<>(request);
    begin(task);
    return task;
  }

  /** Begins a request that its maker holds. */
  public static void begin(FutureTask<?> request) {
    POOL.execute(request);
  }

  /** Returns when the request is done, well or not; the caller makes it if nobody has begun. */
  public static void finish(FutureTask<?> request) {
    request.run();
    try {
      request.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      // Who looks at what it was to bring sees that it is missing.
    }
  }

  /** What the request answers, or its exception; the caller makes it if nobody has begun. */
  public static <T> T await(FutureTask<T> request) throws IOException {
    request.run();
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
