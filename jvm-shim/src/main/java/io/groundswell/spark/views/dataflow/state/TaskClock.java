package io.groundswell.spark.views.dataflow.state;

/**
 * How long an operator of a task took by itself, without the operators that it pulls rows from.
 *
 * <p>A task's operators are iterators over each other, so a clock stops while the one below it
 * runs. The first {@link #EXACT} calls are timed, and then one in {@link #EVERY}, which stands for
 * the others: small barriers are measured, large ones estimated, and no row pays for it.
 */
public final class TaskClock {
  static final int EXACT = 1024;
  static final int EVERY = 64;
  private static final ThreadLocal<TaskClock> RUNNING = new ThreadLocal<>();

  private long nanos;
  private int calls;
  private int weight = 1;
  private TaskClock outer;

  /** Whether the call that comes now is to be timed; counts it. */
  public boolean isDue() {
    int call = calls++;
    weight = call < EXACT ? 1 : EVERY;
    return call < EXACT || call % EVERY == 0;
  }

  /** Begins to time a call that is due; gives what {@link #leave} takes. */
  public long enter() {
    outer = RUNNING.get();
    RUNNING.set(this);
    return System.nanoTime();
  }

  /** Ends what {@link #enter} began. */
  public void leave(long entered) {
    long taken = (System.nanoTime() - entered) * weight;
    nanos += taken;
    if (outer != null) {
      outer.nanos -= taken;
      RUNNING.set(outer);
      outer = null;
    } else {
      RUNNING.remove();
    }
  }

  /** So far; an estimate may be off either way, a time is not below zero. */
  public long micros() {
    return Math.max(0, nanos / 1_000);
  }
}
