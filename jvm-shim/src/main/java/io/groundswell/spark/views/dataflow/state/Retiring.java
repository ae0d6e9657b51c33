package io.groundswell.spark.views.dataflow.state;

import static java.util.stream.Collectors.toSet;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.error.FencedException;
import io.groundswell.spark.views.contract.barrier.Retirement;
import io.groundswell.storage.Mark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Deletes files of states beside the barriers. One round is at work at a time, and one may wait: a
 * later one takes its place, for it deletes all that the other would have. A partition of which as
 * much is needed as in its last round is not looked at, but for every tenth round: a reader may
 * have held a file then.
 *
 * <p>A caller waits only if its round has to wait for one that was asked for {@link #MOST_EPOCHS}
 * epochs before. So deletes are behind by that, and by what two calls are apart, at most.
 *
 * <p>A round that fails goes on with the other partitions; those that failed come again with the
 * next round. Two that fail one after the other end the pipeline: its files would grow for ever.
 *
 * <p>A round looks at the claim on the location before its first partition and once in {@link
 * #CHECKED_EVERY}. A run that was followed deletes nothing more and ends with its next round.
 */
public final class Retiring implements AutoCloseable {
  /** How many epochs a round may take before barriers wait for it. */
  static final long MOST_EPOCHS = 10;

  /** How many partitions a thread goes through on one look at the claim: each costs a listing. */
  static final int CHECKED_EVERY = 16;

  /** In every so many-th round it is forgotten that a partition was looked at. */
  private static final int FORGOTTEN_EVERY = 10;

  private static final int THREADS = Math.min(4, Runtime.getRuntime().availableProcessors());
  private static final long IDLE_SECONDS = 10;

  /** How long the end of a pipeline waits for deletes. */
  private static final long END_MILLIS = 60_000;

  /**
   * One partition of a state.
   *
   * @param needed the oldest version that stays
   * @param oldestMerge what merges have made from there on stays, too, until a commit refers to it
   */
  public record Partition(String folder, long needed, long oldestMerge) {}

  /** Deletes what a partition does not need any more; gives how many files. */
  @FunctionalInterface
  public interface Deletes {
    int retire(Partition partition);
  }

  /** Fails with {@link FencedException} if another run has the location. */
  @FunctionalInterface
  public interface Claim {
    void check() throws IOException;
  }

  /** Deletes what partitions share, when a round has gone through all; gives how many files. */
  @FunctionalInterface
  public interface Shared {
    int retire(Claim claim) throws IOException;
  }

  private record Round(long epoch, List<Partition> partitions, Shared shared, Claim claim) {}

  /** What one thread has done of a round; the failure is null if there was none. */
  private record Share(int files, RuntimeException failure) {}

  private final Deletes deletes;
  private final ThreadPoolExecutor threads;

  // All guarded by this.
  private final Map<String, Partition> retired = new HashMap<>();
  private int rounds;
  private Round running;
  private Round waiting;
  private boolean closed;
  private int failedRounds;
  private RuntimeException failure;
  private long millis;
  private long waitMillis;
  private int looked;
  private int files;

  public Retiring(Deletes deletes) {
    this.deletes = deletes;
    // One more than do the deletes: the one that leads a round.
    threads = new ThreadPoolExecutor(THREADS + 1, THREADS + 1, IDLE_SECONDS, TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(), task -> {
          Thread thread = new Thread(task, "groundswell-retiring");
          thread.setDaemon(true);
          return thread;
        });
    threads.allowCoreThreadTimeOut(true);
  }

  /** As below, of partitions that share nothing. */
  void begin(long epoch, List<Partition> partitions, Claim claim) {
    begin(epoch, partitions, any -> 0, claim);
  }

  /**
   * Asks for a round. Returns at once, unless the one at work is far behind.
   *
   * @param shared what partitions share
   * @param claim of the run that asks
   * @throws FencedException if the last round has found that another run has the location
   * @throws EngineException if the last two rounds have failed
   */
  public synchronized void begin(
      long epoch, List<Partition> partitions, Shared shared, Claim claim) {
    if (failure instanceof FencedException fenced) {
      throw fenced;
    }
    if (failedRounds > 1) {
      throw new EngineException(ErrorCode.STORAGE,
          "files of states that nobody needs any more could not be deleted, twice: "
              + failure.getMessage(),
          failure);
    }
    if (closed) {
      return;
    }
    List<Partition> due = due(partitions);
    Round round = new Round(epoch, due, shared, claim);
    if (running == null) {
      start(round);
      return;
    }
    Mark.ROUND_REPLACED.hitIf(waiting != null);
    waiting = round;
    long begun = System.nanoTime();
    try {
      while (waiting == round && !closed && epoch - running.epoch() >= MOST_EPOCHS) {
        Mark.BARRIER_WAITS_FOR_ROUND.hit();
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the query stops
    }
    waitMillis += (System.nanoTime() - begun) / 1_000_000;
  }

  /** Those that have changed since their last round. Of the others some are forgotten each time. */
  private List<Partition> due(List<Partition> partitions) {
    int turn = rounds++ % FORGOTTEN_EVERY;
    if (turn == 0) {
      retired.keySet().retainAll(partitions.stream().map(Partition::folder).collect(toSet()));
    }
    for (int i = turn; i < partitions.size(); i += FORGOTTEN_EVERY) {
      retired.remove(partitions.get(i).folder());
    }
    return partitions.stream().filter(each -> !each.equals(retired.get(each.folder()))).toList();
  }

  private void start(Round round) {
    running = round;
    threads.execute(() -> run(round));
  }

  private void run(Round round) {
    long begun = System.nanoTime();
    int deleted = 0;
    RuntimeException failed = null;
    Map<String, Partition> done = new HashMap<>();
    List<Future<Share>> parts = new ArrayList<>();
    for (int share = 0; share < THREADS; share++) {
      parts.add(submit(round, share, done));
    }
    for (Future<Share> part : parts) {
      try {
        Share result = part.get();
        deleted += result.files();
        if (!(failed instanceof FencedException) && result.failure() != null) {
          failed = result.failure();
        }
      } catch (Exception e) { // an Error of a share, or the end of the JVM
        failed = new IllegalStateException(e);
      }
    }
    try {
      if (!(failed instanceof FencedException) && !isClosed()) {
        deleted += round.shared().retire(round.claim());
      }
    } catch (IOException e) {
      failed = new UncheckedIOException(e);
    } catch (RuntimeException e) {
      failed = e;
    }
    ended(round, done, deleted, failed, (System.nanoTime() - begun) / 1_000_000);
  }

  /** Every so many-th partition of a round, one after the other. */
  private Future<Share> submit(Round round, int share, Map<String, Partition> done) {
    return threads.submit(() -> {
      int deleted = 0;
      RuntimeException failed = null;
      int unchecked = 0;
      for (int i = share; i < round.partitions().size() && !isClosed(); i += THREADS) {
        Partition partition = round.partitions().get(i);
        try {
          if (unchecked-- == 0) {
            round.claim().check();
            unchecked = CHECKED_EVERY - 1;
          }
          deleted += deletes.retire(partition);
          synchronized (done) {
            done.put(partition.folder(), partition);
          }
        } catch (FencedException e) {
          Mark.ROUND_OF_A_FOLLOWED_RUN.hit();
          return new Share(deleted, e);
        } catch (IOException e) {
          failed = new UncheckedIOException(e);
          unchecked = 0;
        } catch (RuntimeException e) {
          failed = e;
        }
      }
      return new Share(deleted, failed);
    });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void ended(
      Round round, Map<String, Partition> done, int deleted, RuntimeException failed, long took) {
    retired.putAll(done);
    failedRounds = failed == null ? 0 : failedRounds + 1;
    failure = failed;
    millis = took;
    looked = round.partitions().size();
    files = deleted;
    running = null;
    if (waiting != null && !closed) {
      start(waiting);
    }
    waiting = null;
    notifyAll();
  }

  /** What the last round took, how far the one at work is behind, how long barriers have waited. */
  public synchronized Retirement report(long epoch) {
    return new Retirement(millis, looked, files, running == null ? 0 : epoch - running.epoch(),
        waitMillis, failure == null ? null : String.valueOf(failure.getMessage()));
  }

  /** Returns when what was asked for is done, or after so long. */
  synchronized void finish(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (running != null && System.nanoTime() < until) {
      wait(Math.max(1, (until - System.nanoTime()) / 1_000_000));
    }
  }

  /**
   * Waits for what was asked for: of a pipeline that runs a few barriers at a time, no other round
   * may ever come to its end. What takes longer than {@link #END_MILLIS} is left to the next run,
   * but for the partitions at work.
   */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    try {
      finish(END_MILLIS);
      synchronized (this) {
        closed = true;
        notifyAll();
      }
      finish(END_MILLIS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    threads.shutdown();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
