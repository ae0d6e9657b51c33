package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Writes several objects at once, on threads that all pipelines of the process share. */
final class Uploads {
  private static final int THREADS = 8;

  private static final ExecutorService POOL = pool();

  private Uploads() {}

  private static ExecutorService pool() {
    ThreadPoolExecutor pool = new ThreadPoolExecutor(
        THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
          Thread thread = new Thread(task, "groundswell-pack-upload");
          thread.setDaemon(true);
          return thread;
        });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /**
   * Does something for each; a single one on this thread.
   *
   * @throws RuntimeException what the first of them failed with; all have ended by then
   */
  static <T> void all(List<T> items, Consumer<T> write) {
    if (items.size() == 1) {
      write.accept(items.get(0));
      return;
    }
    List<Future<?>> all = new ArrayList<>();
    items.forEach(item -> all.add(POOL.submit(() -> write.accept(item))));
    RuntimeException failure = null;
    for (Future<?> each : all) {
      try {
        each.get();
      } catch (ExecutionException e) {
        failure = failure != null ? failure : failureOf(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        all.forEach(other -> other.cancel(false));
        throw new EngineException(ErrorCode.STORAGE, "interrupted while packs were written", e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException failureOf(ExecutionException e) {
    return e.getCause() instanceof RuntimeException own
        ? own
        : new EngineException(ErrorCode.STORAGE, "a pack was not written: " + e.getCause(), e);
  }
}
