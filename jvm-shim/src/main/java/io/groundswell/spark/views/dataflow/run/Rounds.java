package io.groundswell.spark.views.dataflow.run;

import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.state.Commits;
import io.groundswell.spark.views.operator.recursion.LevelOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.storage.FailPoints;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Brings the recursions of a dataflow to their fixed points, within one barrier: what feeds a
 * recursion runs first, then the recursion's own operators, a round for each level, over what the
 * round before has changed. What reads its result runs after that, with the rest of the barrier.
 */
public final class Rounds {
  private final List<Node> nodes;
  private final Barrier barrier;
  private final Function<Map<String, List<CommitRef>>, Barrier> next;
  private final BiConsumer<Barrier, Node> job;
  private final List<Results> made = new ArrayList<>();
  private final Map<String, List<CommitRef>> commits = new LinkedHashMap<>();

  /**
   * @param barrier whose sources, and what is known of them, the recursions read
   * @param next makes the barrier of a round, over these commits
   * @param job runs a node
   */
  public Rounds(List<Node> nodes, Barrier barrier,
      Function<Map<String, List<CommitRef>>, Barrier> next, BiConsumer<Barrier, Node> job) {
    this.nodes = nodes;
    this.barrier = barrier;
    this.next = next;
    this.job = job;
  }

  /** Runs all of them, in order: a recursion may read the result of one before it. */
  public Rounds run() {
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator
          && operator.operator() instanceof LevelOperator levels) {
        run(operator, levels);
      }
    }
    return this;
  }

  /** What each round made. */
  List<Results> made() {
    return made;
  }

  /** Of the states that rounds have changed. */
  Map<String, List<CommitRef>> commits() {
    return commits;
  }

  private void run(Nodes.OperatorNode operator, LevelOperator levels) {
    levels.prepare(0);
    if (barrier.rows(operator) == null) {
      return;
    }
    job.accept(barrier, operator);
    Results first = new Results(nodes, barrier);
    Map<String, List<CommitRef>> now = new HashMap<>(first.commits());
    now.putAll(commits);
    List<CommitRef> base = barrier.base(operator.state(), operator.partitions);
    List<CommitRef> start = base == null ? Commits.none(operator.partitions) : base;
    List<CommitRef> fed = start;
    long level = first.nextLevel(operator.id);
    while (level != OperatorCounters.NO_LEVEL) {
      if (level > levels.limit()) {
        throw operator.failed("its recursion has new rows after " + levels.limit()
            + " rounds, and may never end: raise its limit, or have its step give no more rows");
      }
      Results results = round(operator, levels, (int) level, fed, now);
      fed = now.get(operator.state());
      results.changed().forEach((state, left) -> {
        now.put(state, left);
        commits.put(state, left);
      });
      made.add(results);
      level = results.nextLevel(operator.id);
    }
    feed(barrier, operator.state(), false,
        new RecursiveReferenceNode.Range(start, now.get(operator.state())));
  }

  private Results round(Nodes.OperatorNode operator, LevelOperator levels, int level,
      List<CommitRef> fed, Map<String, List<CommitRef>> now) {
    Barrier round = next.apply(now);
    try {
      feed(round, operator.state(), true,
          new RecursiveReferenceNode.Range(fed, now.get(operator.state())));
      levels.prepare(level);
      FailPoints.hit("before_round");
      job.accept(round, operator);
      return new Results(nodes, round);
    } finally {
      round.end();
    }
  }

  private void feed(Barrier to, String state, boolean within, RecursiveReferenceNode.Range range) {
    for (Node node : nodes) {
      if (node instanceof RecursiveReferenceNode feedback && feedback.within == within
          && feedback.state.equals(state)) {
        to.feed(feedback, range);
      }
    }
  }
}
