package io.groundswell.spark.views.dataflow.rescale;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Jobs;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.RescaleRequest;
import io.groundswell.spark.views.contract.commits.RescaleResult;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.run.Node;
import io.groundswell.spark.views.dataflow.run.Nodes;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.SerializableConfiguration;

/** Writes the states of a dataflow from states of the same names elsewhere, in one Spark job. */
public final class Rescaling {
  private final SparkContext context;
  private final String root;
  private final List<Nodes.OperatorNode> operators = new ArrayList<>();
  private final RescaleRequest request;
  private final CollectionAccumulator<TaskReport> reports;
  private final Broadcast<SerializableConfiguration> conf;

  /**
   * @param root what the states that are written stand in
   * @param nodes of the dataflow
   */
  public Rescaling(SparkSession session, String root, List<Node> nodes, RescaleRequest request) {
    this.context = session.sparkContext();
    this.root = root;
    this.request = request;
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator && operator.state() != null
          && request.commits().containsKey(operator.state())) {
        operators.add(operator);
      }
    }
    this.reports = context.collectionAccumulator("groundswell.rescaled");
    this.conf =
        SerializableConfiguration.broadcast(context, session.sessionState().newHadoopConf());
  }

  /** Gives the commits that were made; none of them is visible yet. */
  public RescaleResult run() {
    List<RDD<InternalRow>> all = new ArrayList<>();
    for (int i = 0; i < operators.size(); i++) {
      Nodes.OperatorNode operator = operators.get(i);
      List<CommitRef> before = request.commits().get(operator.state());
      RescaleTask task = new RescaleTask(i, operator.operator(), operator.state(), before,
          StoreRegistry.folder(request.origin(), operator.state()),
          StoreRegistry.folder(root, operator.state()), operator.partitions, request.version(),
          conf, reports);
      all.add(new OperatorRdd(
          List.of(Catalyst.parallelize(context, List.of(), operator.partitions)), task));
    }
    if (!all.isEmpty()) {
      Jobs.drain(context.union(Scala.seq(all), Scala.classTag(InternalRow.class)), ended -> {});
    }
    Map<Integer, Map<Integer, TaskReport>> done = new LinkedHashMap<>();
    for (TaskReport report : reports.value()) {
      done.computeIfAbsent(report.part(), part -> new TreeMap<>()).put(report.partition(), report);
    }
    Map<String, List<CommitRef>> commits = new LinkedHashMap<>();
    long rows = 0;
    long bytes = 0;
    for (int i = 0; i < operators.size(); i++) {
      Nodes.OperatorNode operator = operators.get(i);
      Map<Integer, TaskReport> own = done.getOrDefault(i, Map.of());
      if (own.size() != operator.partitions) {
        throw new IllegalStateException("state " + operator.state() + ": " + own.size() + " of "
            + operator.partitions + " partitions were reported");
      }
      commits.put(operator.state(), own.values().stream().map(TaskReport::commit).toList());
      rows += own.values().stream().mapToLong(TaskReport::rowsOut).sum();
      bytes += own.values().stream().mapToLong(TaskReport::stateWrites).sum();
    }
    return new RescaleResult(commits, rows, bytes);
  }
}
