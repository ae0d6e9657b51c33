package io.groundswell.spark.views.dataflow.compile;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.shims.Placement;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.dataflow.exchange.Distribution;
import io.groundswell.spark.views.dataflow.run.ConstantNode;
import io.groundswell.spark.views.dataflow.run.FeedbackNode;
import io.groundswell.spark.views.dataflow.run.Input;
import io.groundswell.spark.views.dataflow.run.Node;
import io.groundswell.spark.views.dataflow.run.Nodes;
import io.groundswell.spark.views.dataflow.run.OperatorName;
import io.groundswell.spark.views.dataflow.run.RowOrigin;
import io.groundswell.spark.views.dataflow.run.Segment;
import io.groundswell.spark.views.dataflow.source.SourceSpec;
import io.groundswell.spark.views.dataflow.state.SnapshotRows;
import io.groundswell.spark.views.operator.RowOperators;
import io.groundswell.spark.views.operator.aggregate.PartialAggregation;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.RowOperator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.PartitioningCollection;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.SerializableConfiguration;

/** Turns a described dataflow into nodes: plans every segment and makes every row operator. */
public final class Compiler {
  private final JsonNode spec;
  private final CapturedPlan plan;
  private final SparkSession session;
  private final Columns columns;
  private final Steps steps;
  private final Distributions distributions;
  private final Broadcast<SerializableConfiguration> conf;
  private final Map<Integer, JsonNode> specs = new LinkedHashMap<>();
  private final Origins origins;

  /** What runs in each round of a recursion. */
  private final Set<Integer> repeated = new HashSet<>();

  private final Map<Integer, Integer> consumers = new HashMap<>();
  private final Map<Integer, Node> nodes = new LinkedHashMap<>();

  private Compiler(JsonNode spec, CapturedPlan plan, SparkSession session) {
    this.spec = spec;
    this.plan = plan;
    this.session = session;
    this.columns = new Columns(plan, spec.path("refs"));
    this.steps = new Steps(plan, columns);
    this.distributions = new Distributions(columns, spec.path("partitions").asInt());
    this.origins = new Origins(specs, columns);
    this.conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
  }

  public static List<Node> compile(JsonNode spec, CapturedPlan plan, SparkSession session) {
    return Catalyst.withActive(session, () -> new Compiler(spec, plan, session).compile());
  }

  private List<Node> compile() {
    for (JsonNode operator : spec.path("operators")) {
      int id = operator.path("id").asInt();
      for (int input : inputs(operator)) {
        if (!specs.containsKey(input)) {
          throw new IllegalArgumentException(
              "operator " + id + " reads operator " + input + ", which does not stand before it");
        }
        consumers.merge(input, 1, Integer::sum);
        if (repeated.contains(input) && !operator.path("op").asText().equals("result")) {
          repeated.add(id);
        }
      }
      if (operator.path("op").asText().equals("feedback")) {
        repeated.add(id);
      }
      specs.put(id, operator);
    }
    specs.forEach((id, operator) -> {
      if (!isFused(id, operator)) {
        Node node = node(id, operator);
        node.always = operator.path("op").asText().equals("arrange");
        node.consumers = consumers.getOrDefault(id, 0) + (node.always ? 1 : 0);
        nodes.put(id, node);
      }
    });
    return List.copyOf(nodes.values());
  }

  static List<Integer> inputs(JsonNode operator) {
    List<Integer> result = new ArrayList<>();
    for (String field : List.of("input", "left", "right")) {
      if (operator.hasNonNull(field)) {
        result.add(operator.path(field).asInt());
      }
    }
    operator.path("inputs").forEach(input -> result.add(input.asInt()));
    return result;
  }

  /** A stateless chain with one reader that needs an exchange is planned together with it. */
  private boolean isFused(int id, JsonNode operator) {
    if (!isStateless(operator) || consumers.getOrDefault(id, 0) != 1) {
      return false;
    }
    return specs.values()
        .stream()
        .filter(reader -> inputs(reader).contains(id))
        .allMatch(reader
            -> reader.hasNonNull("state") || reader.hasNonNull("reads")
                || List.of("net", "touched").contains(reader.path("op").asText()));
  }

  private static boolean isStateless(JsonNode operator) {
    return operator.path("op").asText().equals("stateless");
  }

  private Node node(int id, JsonNode operator) {
    List<String> output = Json.strings(operator.path("columns"));
    List<DataType> types = new ArrayList<>();
    columns.columns(output).forEach(column -> types.add(column.type()));
    types.add(DataTypes.IntegerType);
    return switch (operator.path("op").asText()) {
      case "source" ->
        new Nodes.SourceNode(id,
            new SourceSpec(operator.path("source").asText(), operator.path("tag").asInt(),
                operator.hasNonNull("rowId"), output.indexOf(operator.path("eventTime").asText("")),
                operator.path("late").asBoolean(false)),
            types);
      case "snapshot" ->
        new Nodes.SnapshotNode(
            id, root(), operator.path("from").asText(), SnapshotRows.of(operator), conf, types);
      case "feedback", "result" ->
        new FeedbackNode(id, operator.path("op").asText().equals("feedback"), root(),
            operator.path("from").asText(), SnapshotRows.of(operator), conf, types,
            partitioning(distributions.of(operator), output));
      case "stateless" -> new Nodes.StatelessNode(id, chain(operator, null), types);
      case "constant" -> constant(id, operator, types);
      case "union" ->
        new Nodes.UnionNode(id, inputs(operator).stream().map(nodes::get).toList(), types);
      default -> operatorNode(id, operator, output, types);
    };
  }

  /** Rows of a batch query, and the state that says that they were given. */
  private Node constant(int id, JsonNode operator, List<DataType> types) {
    String state = operator.path("state").asText();
    LogicalPlan query = plan.node(operator.path("node").asInt()).plan();
    List<Attribute> wanted = columns.attributes(Json.strings(operator.path("fields")));
    Node rows = new ConstantNode(-1 - id, session, Catalyst.project(new ArrayList<>(wanted), query),
        state, operator.hasNonNull("rowId"), types);
    return new Nodes.OperatorNode(id, name(id, operator),
        RowOperators.create(operator, List.of(), List.of(), new Resolver()),
        List.of(new Input(rows, null)), root(), state, operator.path("anew").asBoolean(false),
        false, null, 1, conf, types, rows.partitioning);
  }

  private Node operatorNode(int id, JsonNode operator, List<String> output, List<DataType> types) {
    List<Integer> from = inputs(operator);
    List<Distribution> distributions = this.distributions.of(operator);
    List<Input> inputs = new ArrayList<>();
    List<List<Column>> inputColumns = new ArrayList<>();
    for (int i = 0; i < from.size(); i++) {
      boolean placed = distributions.isEmpty() || stays(operator, from.get(i));
      inputs.add(input(from.get(i), placed ? null : distributions.get(i)));
      inputColumns.add(columns.columns(Json.strings(specs.get(from.get(i)).path("columns"))));
    }
    if (spec.path("partitions").asInt() > 1 && operator.path("hot").size() > 0) {
      for (int i = 0; i < from.size(); i++) {
        inputs.set(i, copied(from.get(i), operator.path("hot"), distributions.get(i)));
      }
    }
    JsonNode described = operator;
    if (operator.path("op").asText().equals("aggregate")) {
      PartialAggregation partial =
          PartialAggregation.of(operator, inputColumns.get(0), new Resolver());
      Input folded = partial == null
          ? null
          : folded(from.get(0), distributions.get(0), partial, inputs.get(0));
      if (folded != null) {
        described = partial.spec();
        inputs = List.of(folded);
        inputColumns = List.of(partial.columns());
      }
    }
    if (Tracking.isTracked(operator, inputs.get(0), specs)) {
      described = Tracking.tracked(operator, specs);
    }
    RowOperator rowOperator =
        RowOperators.create(described, inputColumns, columns.columns(output), new Resolver());
    return new Nodes.OperatorNode(id, name(id, operator), rowOperator, inputs, root(),
        operator.hasNonNull("state") ? operator.path("state").asText() : null,
        operator.path("anew").asBoolean(false), repeated.contains(id),
        operator.hasNonNull("reads") ? operator.path("reads").asText() : null,
        distributions.isEmpty() ? 0 : distributions.get(0).partitions(), conf, types,
        partitioning(this.distributions.lasting(operator, distributions), output));
  }

  /** Whether rows may be kept wherever they are, and are in as many partitions as are kept. */
  private boolean stays(JsonNode operator, int from) {
    int made = from;
    while (isStateless(specs.get(made))) {
      made = specs.get(made).path("input").asInt();
    }
    return operator.path("anywhere").asBoolean(false) && !isPlacedByKey(operator)
        && nodes.get(made) instanceof Nodes.OperatorNode maker
        && maker.partitions == spec.path("partitions").asInt();
  }

  /**
   * Once the number of partitions was another one, rows stand where the hash of their own key says,
   * unless nobody asks for them, or the hash they stand under is that of their group.
   */
  private boolean isPlacedByKey(JsonNode operator) {
    return spec.path("rescaled").asBoolean(false) && !operator.path("appendOnly").asBoolean(false)
        && Tracking.tracked(operator, specs).path("group").isEmpty();
  }

  /** What states stand in. */
  private String root() {
    return spec.path("states").asText(spec.path("root").asText());
  }

  /** What row operators ask of the captured query. */
  private final class Resolver implements CallResolver {
    @Override
    public AggregateExpression resolve(String id) {
      if (plan.expression(id) instanceof AggregateExpression call) {
        return call;
      }
      throw new IllegalArgumentException(
          "expression " + id + " is no aggregate call: " + plan.expression(id));
    }

    @Override
    public Expression condition(String id, List<Column> input) {
      List<Attribute> attributes = columns.attributes(input.stream().map(Column::ref).toList());
      return Catalyst.bind(plan.expression(id), attributes);
    }

    @Override
    public Expression expression(String id) {
      return plan.expression(id);
    }

    @Override
    public Attribute attribute(String ref) {
      return columns.attribute(ref);
    }
  }

  private OperatorName name(int id, JsonNode operator) {
    String text = operator.path("text").asText(operator.path("op").asText());
    return new OperatorName(label(id, operator), origins.place(operator), text);
  }

  private static String label(int id, JsonNode operator) {
    String name = operator.path("view").asText(operator.path("source").asText(""));
    String text = operator.path("text").asText("");
    return id + " (" + operator.path("op").asText() + (name.isEmpty() ? "" : " " + name) + ")"
        + (text.isEmpty() || !name.isEmpty() ? "" : " [" + text + "]");
  }

  /** How the output is spread: as the inputs were, as far as their keys are still there. */
  private Partitioning partitioning(List<Distribution> distributions, List<String> output) {
    List<Attribute> given = columns.attributes(output);
    List<Partitioning> all = distributions.stream()
                                 .filter(distribution -> given.containsAll(distribution.keys()))
                                 .map(Distribution::partitioning)
                                 .toList();
    return all.isEmpty()  ? new UnknownPartitioning(0)
        : all.size() == 1 ? all.get(0)
                          : new PartitioningCollection(Scala.seq(all));
  }

  private Input input(int from, Distribution distribution) {
    Node node = nodes.get(from);
    if (node == null) {
      return chain(specs.get(from), distribution);
    }
    if (distribution == null || distribution.isMetBy(node.partitioning)) {
      return new Input(node, null);
    }
    return new Input(node, Segment.plan(session, distribution.exchange(leaf(node, from))));
  }

  /** A stateless operator over its input, and the exchange after it unless it is not needed. */
  private Input chain(JsonNode stateless, Distribution distribution) {
    int from = stateless.path("input").asInt();
    Node node = nodes.get(from);
    if (node == null) {
      throw new IllegalStateException("operator " + from + " was fused with two others");
    }
    LogicalPlan chain = steps.apply(
        leaf(node, from), stateless.path("steps"), Json.strings(stateless.path("columns")));
    RowOrigin origin = origins.of(stateless);
    Segment plain = Segment.plan(session, chain, origin);
    return new Input(node,
        distribution == null || distribution.isMetBy(plain.partitioning())
            ? plain
            : Segment.plan(session, distribution.exchange(chain), origin));
  }

  /**
   * The input folded before its exchange; null if it has none, or no plan folds rows where they
   * are: the leaf pretends that its rows are in one place, so that Spark sees no need to exchange
   * them for the aggregation, but not every node above it passes that on.
   */
  private Input folded(
      int from, Distribution distribution, PartialAggregation partial, Input plain) {
    if (plain.segment() == null || plain.segment().exchanges() == 0) {
      return null;
    }
    JsonNode chain = nodes.containsKey(from) ? null : specs.get(from);
    int source = chain == null ? from : chain.path("input").asInt();
    LogicalPlan rows = leaf(plain.from(), source, SinglePartition$.MODULE$);
    if (chain != null) {
      rows = steps.apply(rows, chain.path("steps"), Json.strings(chain.path("columns")));
    }
    Segment segment = Segment.plan(
        session, distribution.exchange(partial.over(rows, columns.weight())), origins.of(chain));
    return segment.exchanges() == 1 ? new Input(plain.from(), segment) : null;
  }

  /** The input with a copy for every task of rows whose key is hot. */
  private Input copied(int from, JsonNode hot, Distribution distribution) {
    Node node = nodes.get(from);
    JsonNode chain = node == null ? specs.get(from) : null;
    int source = chain == null ? from : chain.path("input").asInt();
    LogicalPlan rows = leaf(nodes.get(source), source);
    if (chain != null) {
      rows = steps.apply(rows, chain.path("steps"), Json.strings(chain.path("columns")));
    }
    List<Integer> hashes = new ArrayList<>();
    hot.forEach(hash -> hashes.add(hash.asInt()));
    LogicalPlan placed =
        Placement.copied(rows, distribution.keys().get(0), hashes, distribution.partitions());
    return new Input(nodes.get(source), Segment.plan(session, placed, origins.of(chain)));
  }

  private LogicalPlan leaf(Node node, int id) {
    return leaf(node, id, node.partitioning);
  }

  private LogicalPlan leaf(Node node, int id, Partitioning partitioning) {
    List<Attribute> output =
        new ArrayList<>(columns.attributes(Json.strings(specs.get(id).path("columns"))));
    output.add(columns.weight());
    return Segment.leaf(session, output, partitioning);
  }
}
