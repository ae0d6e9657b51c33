package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.dataflow.DataflowRunner;
import io.groundswell.spark.views.operator.spi.Watermarks;
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
   * @param json the dataflow, as docs/rfcs/0002-dataflow.md has it
   * @param capture what its ids refer to
   */
  public static Dataflow compile(String json, PlanCapture capture) {
    return new Dataflow(
        DataflowRunner.compile(Json.parse(json), capture.plan(), capture.session()));
  }

  /**
   * Runs one barrier as one Spark job and, if so wanted, makes it durable, but not visible: that is
   * the caller's, with the commits it is given.
   *
   * @param epoch the barrier's number
   * @param batch what the barrier sink was given; null if no source has news
   * @param base the {@code commits} of the epoch before, {@code {}} before the first
   * @param watermarks {@code {"before": {source: micros}, "now": {source: micros}}}
   * @param durable if not, commits stay in the memory of the application until {@link #persist}
   * @return {@code commits}, {@code operators}, {@code sources} and {@code retirement}
   */
  public String run(
      long epoch, Dataset<Row> batch, String base, String watermarks, boolean durable) {
    return runner
        .run(epoch, batch, Json.parse(base), Watermarks.of(Json.parse(watermarks)), durable)
        .toString();
  }

  /**
   * Makes commits durable that are not yet.
   *
   * @param commits {@code {state: [{"partition", "version", "id"}, ...]}}
   */
  public void persist(String commits) {
    runner.persist(Json.parse(commits));
  }

  /** Gives up commits that will not be made durable. */
  public void forget(String commits) {
    runner.forget(Json.parse(commits));
  }

  /** Operators and the physical plans of their inputs, for explain. */
  public String text() {
    return runner.text();
  }

  /**
   * Deletes files of states that nobody needs any more, beside the barriers that come: returns at
   * once, unless deletes are far behind. What {@link #run} gives next tells of it.
   *
   * @param epoch the newest one that is durable
   * @param oldest the {@code commits} of the oldest epoch that readers may name: files that merges
   *     have made since and that no commit refers to yet stay
   * @param needed {@code commits}: of each state, those that must stay with all that came later
   */
  public void retire(long epoch, String oldest, String needed) {
    runner.retire(epoch, Json.parse(oldest), Json.parse(needed));
  }

  /** Lets go of the stores that this process has open for it. */
  public void close() {
    runner.close();
  }
}
