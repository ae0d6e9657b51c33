package io.groundswell.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** The threads that merge, without threads: what was handed in runs when a simulation says so. */
final class SimulatedMerges extends AbstractExecutorService {
  private final Queue<Runnable> queue = new ArrayDeque<>();
  private boolean closed;

  /** Runs what was handed in first; false if there is nothing. */
  boolean runOne() {
    Runnable work = queue.poll();
    if (work == null) {
      return false;
    }
    work.run();
    return true;
  }

  @Override
  public void execute(Runnable work) {
    if (closed) {
      throw new RejectedExecutionException("closed");
    }
    queue.add(work);
  }

  @Override
  public void shutdown() {
    closed = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    closed = true;
    List<Runnable> rest = new ArrayList<>(queue);
    queue.clear();
    return rest;
  }

  @Override
  public boolean isShutdown() {
    return closed;
  }

  @Override
  public boolean isTerminated() {
    return closed && queue.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }
}
