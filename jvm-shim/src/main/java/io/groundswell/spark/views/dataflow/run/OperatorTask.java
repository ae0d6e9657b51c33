package io.groundswell.spark.views.dataflow.run;

import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.EpochIds;
import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.FlushPolicy;
import io.groundswell.checkpoint.OpenPacks;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.StoreUse;
import io.groundswell.engine.Transaction;
import io.groundswell.error.FullHeap;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.exchange.Pooled;
import io.groundswell.spark.views.dataflow.state.MergedParts;
import io.groundswell.spark.views.dataflow.state.StateNames;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import io.groundswell.spark.views.dataflow.state.TaskClock;
import io.groundswell.spark.views.dataflow.state.TaskPacks;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.RowFailures;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.StatePartitions;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.FastPath;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;

/**
 * One row operator on its partitions: opens the state at the base, lets the operator run, commits
 * when its result was taken to the end, reports. A task that fails leaves its state as it was. A
 * partition without input is left alone: its store is not opened and its base reported again.
 *
 * @param name the operator as messages call it
 * @param stateFolder the state, its own or the one that it only reads; null: none
 * @param anew whether its folder may have commits from before it was given up and taken up again
 * @param first the version of a partition that begins
 * @param base the state before this barrier, by partition; null: none
 * @param runEmpty run even where there is no input
 * @param commits what becomes of the commit
 * @param number of the barrier among those of the application
 * @param merged what another process has merged for its state
 */
record OperatorTask(int id, OperatorName name, Pooled<RowOperator> operator, String stateFolder,
    boolean anew, long first, List<CommitRef> base, boolean runEmpty, long epoch,
    FlushPolicy commits, long number, MergedParts merged, Broadcast<SerializableConfiguration> conf,
    CollectionAccumulator<TaskReport> reports) implements OperatorRdd.PartitionTask {
  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    if (!runEmpty && !operator.get(context).hasWork(inputs)) {
      CommitRef same = base == null ? null : base.get(partition);
      report(partition, same, new OperatorCounters(), 0, 0, 0, StoreUse.NONE);
      return Collections.emptyIterator();
    }
    return new Run(partition, inputs, context);
  }

  private void report(int partition, CommitRef commit, OperatorCounters done, long millis,
      long ownMicros, long commitMicros, StoreUse use) {
    reports.add(new TaskReport(id, partition, commit, done.rowsIn, done.rowsOut, done.stateReads,
        done.stateWrites, done.contradictions, millis, ownMicros, commitMicros, TaskReport.here(),
        TaskReport.NO_TIME, done.nextLevel, use));
  }

  /** Whether readers may name its state by an epoch. */
  private boolean isReadable() {
    return StateNames.isReadable(stateFolder.substring(stateFolder.lastIndexOf('/') + 1));
  }

  private final class Run implements Iterator<InternalRow> {
    private final int partition;
    private final TaskContext context;
    private final long started = System.nanoTime();
    private final OperatorCounters counters = new OperatorCounters();
    private final TaskClock clock = new TaskClock();
    private final Transaction tx;
    private Iterator<InternalRow> rows; // let go at the end: the task refers to this for longer
    private boolean done;

    Run(int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      this.partition = partition;
      this.context = context;
      clock.isDue();
      long entered = clock.enter();
      try {
        Transaction own = stateFolder == null ? null : beginOwn();
        this.tx = own;
        if (own != null) { // the task goes on with other operators, and this one is let go of
          context.addTaskCompletionListener((TaskCompletionListener) ended -> own.close());
        }
        this.rows =
            operator.get(context).run(new Partitions(partition, context), epoch, inputs, counters);
      } catch (Exception | OutOfMemoryError e) { // Spark's are checked, and Scala is silent of it
        throw failed(e);
      } finally {
        clock.leave(entered);
      }
    }

    private Transaction beginOwn() {
      if (base.get(partition).version() > 0) {
        return begin(partition);
      }
      return anew ? store(partition).beginAnew(first) : store(partition).beginEmpty(first);
    }

    private Transaction begin(int number) {
      CommitRef from = base.get(number);
      return store(number).begin(from.version(), from.id());
    }

    private EpochStore store(int number) {
      return StoreRegistry.get(stateFolder + "/" + number, conf.value().value());
    }

    /** What the operator may read; other partitions are opened when asked for. */
    private final class Partitions implements StatePartitions {
      private final int number;
      private final TaskContext context;

      Partitions(int number, TaskContext context) {
        this.number = number;
        this.context = context;
      }

      @Override
      public int number() {
        return number;
      }

      @Override
      public int count() {
        return base == null ? 1 : base.size();
      }

      @Override
      public Transaction own() {
        return tx;
      }

      @Override
      public Transaction at(int other) {
        Transaction opened = begin(other);
        context.addTaskCompletionListener((TaskCompletionListener) ended -> opened.close());
        return opened;
      }
    }

    @Override
    public boolean hasNext() {
      if (done) {
        return false;
      }
      if (more()) {
        return true;
      }
      done = true;
      rows = Collections.emptyIterator();
      finish();
      return false;
    }

    private boolean more() {
      boolean due = clock.isDue();
      long entered = due ? clock.enter() : 0;
      try {
        return rows.hasNext();
      } catch (Exception | OutOfMemoryError e) { // Spark's are checked, and Scala is silent of it
        throw failed(e);
      } finally {
        if (due) {
          clock.leave(entered);
        }
      }
    }

    @Override
    public InternalRow next() {
      boolean due = clock.isDue();
      long entered = due ? clock.enter() : 0;
      try {
        return rows.next();
      } catch (Exception | OutOfMemoryError e) { // Spark's are checked, and Scala is silent of it
        throw failed(e);
      } finally {
        if (due) {
          clock.leave(entered);
        }
      }
    }

    private void finish() {
      long begun = System.nanoTime();
      try {
        CommitRef commit = tx == null ? null : end();
        long ended = System.nanoTime();
        long commitMicros = tx == null ? 0 : (ended - begun) / 1_000;
        clock.add(ended - begun);
        report(partition, commit, counters, (ended - started) / 1_000_000, clock.micros(),
            commitMicros, tx == null ? StoreUse.NONE : store(partition).takeUse());
      } catch (Exception | OutOfMemoryError e) { // Spark's are checked, and Scala is silent of it
        throw failed(e);
      }
    }

    /** A barrier that changed nothing here writes nothing. */
    private CommitRef end() {
      if (counters.stateWrites == 0 && FastPath.UNCHANGED_STATE.isOpen()) {
        tx.abort();
        return base.get(partition);
      }
      long live = counters.bundledRows;
      for (TableSpec table : tx.tables()) {
        live += table.counted() ? tx.count(table) : 0;
      }
      merged.giveTo(store(partition), partition);
      FailPoints.hit("before_task_commit");
      Transaction.Commit commit = tx.commit(destination());
      FailPoints.hit("after_task_commit");
      return new CommitRef(commit.version(), commit.id(), live, commit.stateBytes());
    }

    private Destination destination() {
      return switch (commits) {
        case CHECKPOINT -> Destination.PENDING;
        case ALONE -> Destination.ALONE;
        case TASK -> in(TaskPacks.of(context, packs(), epoch));
        case PROCESS -> in(packs().shared(number, epoch));
        case OVERLAPPED -> in(packs().shared(number, epoch, true));
      };
    }

    private Destination in(OpenPacks packs) {
      return packs.of(group(), StoreRegistry.pathOf(stateFolder + "/" + partition));
    }

    private EpochPacks packs() {
      return StoreRegistry.packs(stateFolder + "/" + partition, conf.value().value());
    }

    /**
     * Operators' own state is needed for fewer epochs than what readers may name, so its packs go
     * earlier. Where requests are slow, one object more costs more than the bytes that it saves.
     */
    private int group() {
      return isReadable() || packs().hasHighLatency() ? EpochIds.READABLE : EpochIds.OWN;
    }

    private RuntimeException failed(Throwable e) {
      OutOfMemoryError full = FullHeap.within(e);
      return full != null ? full(full) : named((Exception) e);
    }

    /** Spark would end the process; without this task's rows there is room again. */
    private RuntimeException full(OutOfMemoryError e) {
      String held = EngineServices.shared().memoryText();
      rows = Collections.emptyIterator();
      if (tx != null) {
        tx.close();
      }
      return OperatorException.ofMemory(name, partition, e, Runtime.getRuntime().maxMemory(), held);
    }

    /** Says which operator failed; what Spark throws to steer tasks, and what was named, stays. */
    private RuntimeException named(Exception e) {
      if (e instanceof OperatorException || e instanceof TaskKilledException
          || e instanceof InterruptedException || e instanceof FetchFailedException) {
        throw Scala.unchecked(e);
      }
      return RowFailures.isOfData(e) ? OperatorException.ofData(name, counters.atHand, e)
                                     : new OperatorException(name, partition, e);
    }
  }
}
