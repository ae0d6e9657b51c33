package io.groundswell.spark.views.dataflow.run;

import io.groundswell.checkpoint.EpochIds;
import io.groundswell.spark.views.contract.barrier.BarrierMillis;
import io.groundswell.spark.views.contract.barrier.BarrierResult;
import io.groundswell.spark.views.contract.barrier.CacheUse;
import io.groundswell.spark.views.contract.barrier.EventTimes;
import io.groundswell.spark.views.contract.barrier.OperatorTotals;
import io.groundswell.spark.views.contract.barrier.Retirement;
import io.groundswell.spark.views.contract.barrier.StateUse;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.source.SourceReading;
import io.groundswell.spark.views.dataflow.state.Commits;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import io.groundswell.spark.views.dataflow.state.Writers;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** What a barrier made, put together from the reports of its tasks. */
public final class Results {
  private static final StateUse NO_USE = new StateUse(0, 0, 0, 0, 0);

  private final List<Node> nodes;
  private final Barrier barrier;

  /** What the rounds of its recursions made. */
  private final List<Results> rounds;

  /** Part → partition → report: a task that ran twice counts once. */
  private final Map<Integer, Map<Integer, TaskReport>> reports = new TreeMap<>();

  private final Map<String, List<CommitRef>> commits = new LinkedHashMap<>();

  /** Of a barrier without recursions, or one that is not at its end. */
  public Results(List<Node> nodes, Barrier barrier) {
    this(nodes, barrier, List.of());
  }

  /** Of a barrier and the rounds within it. */
  public Results(List<Node> nodes, Barrier barrier, Rounds rounds) {
    this(nodes, barrier, rounds.made());
    commits.putAll(rounds.commits());
  }

  private Results(List<Node> nodes, Barrier barrier, List<Results> rounds) {
    this.nodes = nodes;
    this.barrier = barrier;
    this.rounds = rounds;
    for (TaskReport report : barrier.reports.value()) {
      reports.computeIfAbsent(report.part(), part -> new TreeMap<>())
          .put(report.partition(), report);
    }
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator && operator.state != null) {
        commits.put(operator.state, commits(operator));
      }
    }
  }

  /** What the barrier has left of every state, whether it has changed it or not. */
  public Map<String, List<CommitRef>> commits() {
    return commits;
  }

  /** Of the states that are not as they were. */
  Map<String, List<CommitRef>> changed() {
    Map<String, List<CommitRef>> changed = new LinkedHashMap<>(commits);
    changed.entrySet().removeIf(each -> each.getValue().equals(barrier.base(each.getKey())));
    return changed;
  }

  /**
   * The packs that commits are in, by the executor that made them. Those of all rounds: what a
   * round has written is in the versions of later ones.
   */
  public Map<String, Set<String>> packs() {
    Map<String, Set<String>> packs = new TreeMap<>();
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator && operator.state != null) {
        for (TaskReport done : written(operator)) {
          String id = done.commit().id();
          if (EpochIds.isPacked(id)) {
            packs.computeIfAbsent(done.executor(), any -> new TreeSet<>()).add(EpochIds.packOf(id));
          }
        }
      }
    }
    rounds.forEach(round -> round.packs().forEach((executor, made) -> {
      packs.computeIfAbsent(executor, any -> new TreeSet<>()).addAll(made);
    }));
    return packs;
  }

  /** The lowest level that a recursion has to settle yet. */
  long nextLevel(int part) {
    return reports.getOrDefault(part, Map.of())
        .values()
        .stream()
        .mapToLong(TaskReport::nextLevel)
        .min()
        .orElse(OperatorCounters.NO_LEVEL);
  }

  /**
   * @param millis how long the barrier took
   * @param taken files of tables that it has taken in
   * @param retirement of the rounds of deletes before
   * @param writers learns who wrote what
   * @param waiting numbers under which its commits wait to be made durable
   */
  public BarrierResult result(BarrierMillis millis, List<String> taken, Retirement retirement,
      Writers writers, List<Long> waiting) {
    Map<String, List<CommitRef>> changed = changed();
    List<String> unchanged =
        commits.keySet().stream().filter(state -> !changed.containsKey(state)).toList();
    Map<String, OperatorTotals> operators = new LinkedHashMap<>();
    Map<String, Long> sources = new LinkedHashMap<>();
    Map<String, Long> readMicros = new LinkedHashMap<>();
    Map<String, EventTimes> eventTimes = new LinkedHashMap<>();
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator) {
        List<CommitRef> refs = operator.state == null ? List.of() : commits.get(operator.state);
        operators.put(String.valueOf(node.id), totals(node.id, refs));
        note(operator, writers);
      } else if (node instanceof Nodes.SourceNode reader) {
        SourceReading source = reader.source;
        int part = ~source.tag();
        long read = sum(part, TaskReport::rowsIn);
        sources.put(source.name(), read);
        long reading = sum(part, TaskReport::ownMicros);
        if (reading > 0) {
          readMicros.put(source.name(), reading);
        }
        if (source.eventTime() >= 0) {
          eventTimes.put(
              source.name(), new EventTimes(read - sum(part, TaskReport::rowsOut), newest(part)));
        }
      }
    }
    return new BarrierResult(changed, operators, sources, readMicros, eventTimes, millis, taken,
        retirement, unchanged, writers.taken(), rounds.size(), uses(), cache(), waiting);
  }

  private void note(Nodes.OperatorNode operator, Writers writers) {
    for (TaskReport done : written(operator)) {
      writers.note(operator.state, done.partition(), done.executor());
    }
  }

  /** The reports of the partitions that an operator has not left as they were. */
  private List<TaskReport> written(Nodes.OperatorNode operator) {
    List<CommitRef> base =
        operator.state == null ? null : barrier.base(operator.state, operator.partitions);
    return reports.getOrDefault(operator.id, Map.of())
        .values()
        .stream()
        .filter(done -> done.commit() != null && done.commit().version() > 0)
        .filter(done -> base == null || !done.commit().equals(base.get(done.partition())))
        .toList();
  }

  /** The largest event time of a source; null if no row had one. */
  private Long newest(int part) {
    OptionalLong newest = reports.getOrDefault(part, Map.of())
                              .values()
                              .stream()
                              .mapToLong(TaskReport::eventTime)
                              .filter(time -> time != TaskReport.NO_TIME)
                              .max();
    return newest.isPresent() ? Long.valueOf(newest.getAsLong()) : null;
  }

  private List<CommitRef> commits(Nodes.OperatorNode operator) {
    Map<Integer, TaskReport> done = reports.get(operator.id);
    if (done == null && !barrier.ran(operator)) {
      List<CommitRef> base = barrier.base(operator.state, operator.partitions);
      return base == null ? Commits.none(operator.partitions) : base;
    }
    int count = done == null ? 0 : done.size();
    if (count != operator.partitions) {
      throw new IllegalStateException("operator " + operator.label + ": " + count + " of "
          + operator.partitions + " partitions reported a commit in epoch " + barrier.epoch);
    }
    return done.values().stream().map(TaskReport::commit).toList();
  }

  private OperatorTotals totals(int id, List<CommitRef> refs) {
    return new OperatorTotals(sum(id, TaskReport::rowsIn), sum(id, TaskReport::rowsOut),
        sum(id, TaskReport::stateReads), sum(id, TaskReport::stateWrites),
        sum(id, TaskReport::millis), sum(id, TaskReport::ownMicros),
        sum(id, TaskReport::commitMicros), sum(id, TaskReport::contradictions),
        refs.stream().mapToLong(CommitRef::rows).sum(),
        refs.stream().mapToLong(CommitRef::bytes).sum());
  }

  /** What the stores of operators have done, of those that did something. */
  private Map<String, StateUse> uses() {
    Map<String, StateUse> uses = new LinkedHashMap<>();
    for (Node node : nodes) {
      StateUse use = new StateUse(sum(node.id, done -> done.use().lookups()),
          sum(node.id, done -> done.use().filterNegatives()),
          sum(node.id, done -> done.use().filterFalsePositives()),
          sum(node.id, done -> done.use().compactions()),
          sum(node.id, done -> done.use().compactionBytes()));
      if (!use.equals(NO_USE)) {
        uses.put(String.valueOf(node.id), use);
      }
    }
    return uses;
  }

  private CacheUse cache() {
    long hits = 0;
    long misses = 0;
    for (Node node : nodes) {
      hits += sum(node.id, done -> done.use().cacheHits());
      misses += sum(node.id, done -> done.use().cacheMisses());
    }
    return new CacheUse(hits, misses);
  }

  private long sum(int part, ToLongFunction<TaskReport> counter) {
    return reports.getOrDefault(part, Map.of()).values().stream().mapToLong(counter).sum()
        + rounds.stream().mapToLong(round -> round.sum(part, counter)).sum();
  }
}
