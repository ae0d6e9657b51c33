package io.groundswell.spark.views.dataflow.state;

import java.util.ArrayList;
import java.util.List;

/**
 * How long an operator of a task took by itself, without the operators that it pulls rows from.
 *
 * <p>A task's operators are iterators over each other: what one takes is what its calls take, less
 * what the calls of those below it take. The first {@link #EXACT} calls of each are timed, and then
 * one in {@link #EVERY}, which stands for the others: small barriers are measured, large ones
 * estimated, and no row pays for it. Who is below whom is seen when the first rows are pulled.
 */
public final class TaskClock {
  static final int EXACT = 1024;
  static final int EVERY = 64;
  private static final ThreadLocal<TaskClock> RUNNING = new ThreadLocal<>();

  private final List<TaskClock> below = new ArrayList<>();
  private TaskClock above;
  private TaskClock interrupted;
  private long nanos; // with those below
  private int calls;
  private int weight = 1;

  /** Whether the call that comes now is to be timed; counts it. */
  public boolean isDue() {
    int call = calls++;
    weight = call < EXACT ? 1 : EVERY;
    return call < EXACT || call % EVERY == 0;
  }

  /** Begins to time a call that is due; gives what {@link #leave} takes. */
  public long enter() {
    interrupted = RUNNING.get();
    if (above == null && interrupted != null) {
      above = interrupted;
      above.below.add(this);
    }
    RUNNING.set(this);
    return System.nanoTime();
  }

  /** Ends what {@link #enter} began. */
  public void leave(long entered) {
    nanos += (System.nanoTime() - entered) * weight;
    if (interrupted == null) {
      RUNNING.remove();
    } else {
      RUNNING.set(interrupted);
      interrupted = null;
    }
  }

  /** Adds what was done beside the calls. */
  public void add(long more) {
    nanos += more;
  }

  /** So far; an estimate may be off either way, a time is not below zero. */
  public long micros() {
    long own = nanos - below.stream().mapToLong(clock -> clock.nanos).sum();
    return Math.max(0, own / 1_000);
  }
}
