package io.groundswell.spark.views.dataflow.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.dataflow.source.SourceSpec;
import io.groundswell.spark.views.dataflow.state.CommitRef;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a barrier made, put together from the reports of its tasks. */
public final class Results {
  private final List<Node> nodes;
  private final Barrier barrier;

  /** Part → partition → report: a task that ran twice counts once. */
  private final Map<Integer, Map<Integer, TaskReport>> reports = new TreeMap<>();

  public Results(List<Node> nodes, Barrier barrier) {
    this.nodes = nodes;
    this.barrier = barrier;
    for (TaskReport report : barrier.reports.value()) {
      reports.computeIfAbsent(report.part(), part -> new TreeMap<>())
          .put(report.partition(), report);
    }
  }

  public ObjectNode json() {
    ObjectNode commits = Json.object();
    ObjectNode operators = Json.object();
    ObjectNode sources = Json.object();
    ObjectNode eventTimes = Json.object();
    ObjectNode readMicros = Json.object();
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator) {
        List<CommitRef> refs = operator.state == null ? List.of() : commits(operator);
        if (operator.state != null) {
          ArrayNode list = commits.putArray(operator.state);
          refs.forEach(ref -> list.add(ref.json()));
        }
        operators.set(String.valueOf(node.id), counters(node.id, refs));
      } else if (node instanceof Nodes.SourceNode reader) {
        SourceSpec source = reader.source;
        int part = ~source.tag();
        sources.put(source.name(), sum(part, "rowsIn"));
        long reading = sum(part, "ownMicros");
        if (reading > 0) {
          readMicros.put(source.name(), reading);
        }
        if (source.eventTime() >= 0) {
          long late = sum(part, "rowsIn") - sum(part, "rowsOut");
          ObjectNode times = Json.object().put("late", late);
          eventTimes.set(source.name(), times);
          reports.getOrDefault(part, Map.of())
              .values()
              .stream()
              .mapToLong(TaskReport::eventTime)
              .filter(time -> time != TaskReport.NO_TIME)
              .max()
              .ifPresent(max -> times.put("max", max));
        }
      }
    }
    ObjectNode result = Json.object();
    result.set("commits", commits);
    result.set("operators", operators);
    result.set("sources", sources);
    result.set("eventTimes", eventTimes);
    result.set("readMicros", readMicros);
    return result;
  }

  private List<CommitRef> commits(Nodes.OperatorNode operator) {
    Map<Integer, TaskReport> done = reports.get(operator.id);
    if (done == null && !barrier.ran(operator)) {
      List<CommitRef> base = barrier.base(operator.state, operator.partitions);
      return base == null ? CommitRef.empty(operator.partitions) : base;
    }
    int count = done == null ? 0 : done.size();
    if (count != operator.partitions) {
      throw new IllegalStateException("operator " + operator.label + ": " + count + " of "
          + operator.partitions + " partitions reported a commit in epoch " + barrier.epoch);
    }
    return done.values().stream().map(TaskReport::commit).toList();
  }

  private ObjectNode counters(int id, List<CommitRef> refs) {
    ObjectNode result = Json.object();
    for (String name : List.of("rowsIn", "rowsOut", "stateReads", "stateWrites", "millis")) {
      result.put(name, sum(id, name));
    }
    for (String name : List.of("ownMicros", "commitMicros", "contradictions")) {
      long total = sum(id, name);
      if (total > 0) { // idle operators are most, and an epoch's document has them all
        result.put(name, total);
      }
    }
    return result.put("stateRows", refs.stream().mapToLong(CommitRef::rows).sum())
        .put("stateBytes", refs.stream().mapToLong(CommitRef::bytes).sum());
  }

  private long sum(int part, String name) {
    Collection<TaskReport> all = reports.getOrDefault(part, Map.of()).values();
    return all.stream().mapToLong(report -> report.counter(name)).sum();
  }
}
