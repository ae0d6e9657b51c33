package io.groundswell.spark.views.entry;

import io.groundswell.checkpoint.Ownership;
import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.views.contract.barrier.BarrierProgress;
import io.groundswell.spark.views.contract.barrier.BarrierRequest;
import io.groundswell.spark.views.contract.barrier.BarrierResult;
import io.groundswell.spark.views.contract.barrier.BatchSizes;
import io.groundswell.spark.views.contract.barrier.CommitBatches;
import io.groundswell.spark.views.contract.commits.PendingCommits;
import io.groundswell.spark.views.contract.commits.RescaleRequest;
import io.groundswell.spark.views.contract.commits.RescaleResult;
import io.groundswell.spark.views.contract.commits.RetireRequest;
import io.groundswell.spark.views.contract.dataflow.DataflowSpec;
import io.groundswell.spark.views.dataflow.DataflowRunner;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A dataflow as Python planned it, ready to run barrier after barrier. */
public final class Dataflow {
  private final DataflowRunner runner;

  private Dataflow(DataflowRunner runner) {
    this.runner = runner;
  }

  /**
   * Plans every stateless chain and makes every row operator; reads and writes nothing.
   *
   * @param dataflow a {@link DataflowSpec}; docs/rfcs/0002-dataflow.md says what operators do
   * @param capture what its ids refer to
   */
  public static Dataflow compile(String dataflow, PlanCapture capture) {
    return new Dataflow(DataflowRunner.compile(
        Documents.read(dataflow, DataflowSpec.class), capture.plan(), capture.session()));
  }

  /**
   * Runs one barrier as one Spark job and, if so wanted, makes it durable, but not visible: that is
   * the caller's, with the commits it is given.
   *
   * @param batch what the barrier sink was given; null if no source has news
   * @param request a {@link BarrierRequest}
   * @return a {@link BarrierResult}
   */
  public String run(Dataset<Row> batch, String request) {
    return Documents.write(runner.run(Documents.read(request, BarrierRequest.class), batch));
  }

  /**
   * Writes its states from others that have another number of partitions. Durable, and not visible:
   * that is the caller's.
   *
   * @param request a {@link RescaleRequest}
   * @return a {@link RescaleResult}
   */
  public String rescale(String request) {
    return Documents.write(runner.rescale(Documents.read(request, RescaleRequest.class)));
  }

  /**
   * How much a batch is, as far as that is known before it is read.
   *
   * @return a {@link BatchSizes}
   */
  public String sizes(Dataset<Row> batch) {
    return Documents.write(runner.sizes(batch));
  }

  /**
   * How far the barrier is that runs now, from any thread.
   *
   * @return a {@link BarrierProgress}; null: none runs
   */
  public String progress() {
    BarrierProgress now = runner.progress();
    return now == null ? null : Documents.write(now);
  }

  /** Makes {@link PendingCommits} durable. */
  public void persist(String commits) {
    runner.persist(Documents.read(commits, PendingCommits.class).states());
  }

  /** Gives {@link PendingCommits} up: they will not be made durable. */
  public void forget(String commits) {
    runner.forget(Documents.read(commits, PendingCommits.class).states());
  }

  /**
   * Makes durable what barriers have left in memory, on the thread that calls.
   *
   * @param barriers {@link CommitBatches}
   */
  public void write(String barriers) {
    waiting(barriers).forEach(runner.packs()::publishKept);
  }

  /** Gives up what barriers have left in memory; as {@link #write}. */
  public void giveUp(String barriers) {
    waiting(barriers).forEach(runner.packs()::giveUpKept);
  }

  private static List<Long> waiting(String barriers) {
    return Documents.read(barriers, CommitBatches.class).barriers();
  }

  /** Operators and the physical plans of their inputs, for explain. */
  public String text() {
    return runner.text();
  }

  /**
   * Deletes files of states that nobody needs any more, beside the barriers that come: returns at
   * once, unless deletes are far behind. What {@link #run} gives next tells of it.
   *
   * @param request a {@link RetireRequest}
   * @param ownership of the run that asks: one that was followed deletes nothing more
   */
  public void retire(String request, Ownership ownership) {
    runner.retire(Documents.read(request, RetireRequest.class), ownership);
  }

  /** Lets go of the stores that this process has open for it. */
  public void close() {
    runner.close();
  }
}
