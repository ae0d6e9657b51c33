package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Placement;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.contract.dataflow.AffectedKeysSpec;
import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.ArrangeSpec;
import io.groundswell.spark.views.contract.dataflow.ConsolidateSpec;
import io.groundswell.spark.views.contract.dataflow.ConstantSpec;
import io.groundswell.spark.views.contract.dataflow.DataflowSpec;
import io.groundswell.spark.views.contract.dataflow.KeepSpec;
import io.groundswell.spark.views.contract.dataflow.LookupSpec;
import io.groundswell.spark.views.contract.dataflow.MaterializeSpec;
import io.groundswell.spark.views.contract.dataflow.NormalizeSpec;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.contract.dataflow.RecursiveReferenceSpec;
import io.groundswell.spark.views.contract.dataflow.ResultSpec;
import io.groundswell.spark.views.contract.dataflow.SnapshotSpec;
import io.groundswell.spark.views.contract.dataflow.SourceSpec;
import io.groundswell.spark.views.contract.dataflow.StatefulSpec;
import io.groundswell.spark.views.contract.dataflow.StatelessSpec;
import io.groundswell.spark.views.contract.dataflow.StoredSpec;
import io.groundswell.spark.views.contract.dataflow.UnionSpec;
import io.groundswell.spark.views.dataflow.exchange.Distribution;
import io.groundswell.spark.views.dataflow.run.ConstantNode;
import io.groundswell.spark.views.dataflow.run.Input;
import io.groundswell.spark.views.dataflow.run.Node;
import io.groundswell.spark.views.dataflow.run.Nodes;
import io.groundswell.spark.views.dataflow.run.OperatorName;
import io.groundswell.spark.views.dataflow.run.RecursiveReferenceNode;
import io.groundswell.spark.views.dataflow.run.RowOrigin;
import io.groundswell.spark.views.dataflow.run.Segment;
import io.groundswell.spark.views.dataflow.source.SourceReading;
import io.groundswell.spark.views.dataflow.state.SnapshotRows;
import io.groundswell.spark.views.operator.RowOperators;
import io.groundswell.spark.views.operator.aggregate.AggregateOperator;
import io.groundswell.spark.views.operator.aggregate.PartialAggregation;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.view.MaterializeOperator;
import io.groundswell.spark.views.operator.view.Tracked;
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
  private final DataflowSpec spec;
  private final CapturedPlan plan;
  private final SparkSession session;
  private final Columns columns;
  private final Steps steps;
  private final Distributions distributions;
  private final Broadcast<SerializableConfiguration> conf;
  private final Map<Integer, OperatorSpec> specs = new LinkedHashMap<>();
  private final Origins origins;

  /** What runs in each round of a recursion. */
  private final Set<Integer> repeated = new HashSet<>();

  private final Map<Integer, Integer> consumers = new HashMap<>();
  private final Map<Integer, Node> nodes = new LinkedHashMap<>();

  private Compiler(DataflowSpec spec, CapturedPlan plan, SparkSession session) {
    this.spec = spec;
    this.plan = plan;
    this.session = session;
    this.columns = new Columns(plan, spec.refs());
    this.steps = new Steps(plan, columns);
    this.distributions = new Distributions(columns, spec.partitions());
    this.origins = new Origins(specs, columns);
    this.conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
  }

  public static List<Node> compile(DataflowSpec spec, CapturedPlan plan, SparkSession session) {
    return Catalyst.withActive(session, () -> new Compiler(spec, plan, session).compile());
  }

  private List<Node> compile() {
    for (OperatorSpec operator : spec.operators()) {
      int id = operator.id();
      for (int input : operator.inputs()) {
        if (!specs.containsKey(input)) {
          throw new IllegalArgumentException(
              "operator " + id + " reads operator " + input + ", which does not stand before it");
        }
        consumers.merge(input, 1, Integer::sum);
        if (repeated.contains(input) && !(operator instanceof ResultSpec)) {
          repeated.add(id);
        }
      }
      if (operator instanceof RecursiveReferenceSpec) {
        repeated.add(id);
      }
      specs.put(id, operator);
    }
    specs.forEach((id, operator) -> {
      if (!isFused(operator)) {
        Node node = node(operator);
        node.always = operator instanceof ArrangeSpec;
        node.consumers = consumers.getOrDefault(id, 0) + (node.always ? 1 : 0);
        nodes.put(id, node);
      }
    });
    return List.copyOf(nodes.values());
  }

  /** A stateless chain with one reader that needs an exchange is planned together with it. */
  private boolean isFused(OperatorSpec operator) {
    if (!(operator instanceof StatelessSpec) || consumers.getOrDefault(operator.id(), 0) != 1) {
      return false;
    }
    return specs.values()
        .stream()
        .filter(reader -> reader.inputs().contains(operator.id()))
        .allMatch(reader
            -> reader instanceof StatefulSpec || reader instanceof LookupSpec
                || reader instanceof ConsolidateSpec || reader instanceof AffectedKeysSpec);
  }

  private Node node(OperatorSpec operator) {
    int id = operator.id();
    List<String> output = operator.columns();
    List<DataType> types = new ArrayList<>();
    columns.columns(output).forEach(column -> types.add(column.type()));
    types.add(DataTypes.IntegerType);
    if (operator instanceof SourceSpec source) {
      return new Nodes.SourceNode(id,
          new SourceReading(source.source(), source.tag(), !source.rowId().isEmpty(),
              output.indexOf(source.eventTime()), source.late(),
              new PushedDown(specs.values(), steps, columns).of(source)),
          types);
    }
    if (operator instanceof SnapshotSpec snapshot) {
      return new Nodes.SnapshotNode(
          id, spec.states(), snapshot.reads(), SnapshotRows.of(snapshot), conf, types);
    }
    if (operator instanceof StoredSpec recursion) {
      return new RecursiveReferenceNode(id, operator instanceof RecursiveReferenceSpec,
          spec.states(), recursion.reads(), SnapshotRows.of(recursion), conf, types,
          partitioning(distributions.of(operator), output));
    }
    if (operator instanceof StatelessSpec chain) {
      return new Nodes.StatelessNode(id, chain(chain, null), types);
    }
    if (operator instanceof ConstantSpec constant) {
      return constant(constant, types);
    }
    if (operator instanceof UnionSpec) {
      return new Nodes.UnionNode(id, operator.inputs().stream().map(nodes::get).toList(), types);
    }
    return operatorNode(operator, types);
  }

  /** Rows of a batch query, and the state that says that they were given. */
  private Node constant(ConstantSpec operator, List<DataType> types) {
    int id = operator.id();
    LogicalPlan query = plan.node(operator.node()).plan();
    List<Attribute> wanted = columns.attributes(operator.fields());
    Node rows = new ConstantNode(-1 - id, session, Catalyst.project(new ArrayList<>(wanted), query),
        operator.state(), !operator.rowId().isEmpty(), types);
    return new Nodes.OperatorNode(id, name(operator),
        RowOperators.create(operator, List.of(), List.of(), new Resolver()),
        List.of(new Input(rows, null)), spec.states(), operator.state(), operator.anew(), false,
        null, 1, conf, types, rows.partitioning);
  }

  private Node operatorNode(OperatorSpec operator, List<DataType> types) {
    List<Integer> from = operator.inputs();
    List<String> output = operator.columns();
    List<Distribution> distributions = this.distributions.of(operator);
    List<Input> inputs = new ArrayList<>();
    List<List<Column>> inputColumns = new ArrayList<>();
    for (int i = 0; i < from.size(); i++) {
      boolean placed = distributions.isEmpty() || stays(operator, from.get(i));
      inputs.add(input(from.get(i), placed ? null : distributions.get(i)));
      inputColumns.add(columns.columns(specs.get(from.get(i)).columns()));
    }
    LookupSpec lookup = operator instanceof LookupSpec found ? found : null;
    if (spec.partitions() > 1 && lookup != null && !lookup.hot().isEmpty()) {
      for (int i = 0; i < from.size(); i++) {
        inputs.set(i, copied(from.get(i), lookup.hot(), distributions.get(i)));
      }
    }
    PartialAggregation partial = operator instanceof AggregateSpec groups
        ? PartialAggregation.of(groups, inputColumns.get(0), new Resolver())
        : null;
    Input folded =
        partial == null ? null : folded(from.get(0), distributions.get(0), partial, inputs.get(0));
    Tracked tracked = Tracking.tracked(operator, inputs.get(0), specs);
    RowOperator rowOperator = folded != null
        ? new AggregateOperator(partial, columns.columns(output), new Resolver())
        : tracked != null
        ? new MaterializeOperator((MaterializeSpec) operator, inputColumns.get(0), tracked)
        : RowOperators.create(operator, inputColumns, columns.columns(output), new Resolver());
    StatefulSpec stateful = operator instanceof StatefulSpec keeps ? keeps : null;
    return new Nodes.OperatorNode(operator.id(), name(operator), rowOperator,
        folded == null ? inputs : List.of(folded), spec.states(),
        stateful == null ? null : stateful.state(), stateful != null && stateful.anew(),
        repeated.contains(operator.id()), lookup == null ? null : lookup.reads(),
        distributions.isEmpty() ? 0 : distributions.get(0).partitions(), conf, types,
        partitioning(this.distributions.lasting(operator, distributions), output));
  }

  /** Whether rows may be kept wherever they are, and are in as many partitions as are kept. */
  private boolean stays(OperatorSpec operator, int from) {
    int made = from;
    while (specs.get(made) instanceof StatelessSpec chain) {
      made = chain.inputs().get(0);
    }
    boolean anywhere = operator instanceof KeepSpec
        || (operator instanceof MaterializeSpec view && view.anywhere() && !isPlacedByKey(view));
    return anywhere && nodes.get(made) instanceof Nodes.OperatorNode maker
        && maker.partitions == spec.partitions();
  }

  /**
   * Once the number of partitions was another one, rows stand where the hash of their own key says,
   * unless nobody asks for them, or the hash they stand under is that of their group.
   */
  private boolean isPlacedByKey(MaterializeSpec view) {
    return spec.rescaled() && !view.appendOnly() && Tracking.group(view, specs).isEmpty();
  }

  /** What row operators ask of the captured query. */
  private final class Resolver implements CallResolver {
    @Override
    public AggregateExpression resolve(String id) {
      if (plan.expression(id) instanceof AggregateExpression call) {
        return call;
      }
      throw new IllegalArgumentException(
          "expression " + id + " is not an aggregate call: " + plan.expression(id));
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

  private OperatorName name(OperatorSpec operator) {
    String text = String.join("; ", operator.texts());
    String called = operator instanceof MaterializeSpec view ? view.view()
        : operator instanceof KeepSpec table                 ? table.table()
        : operator instanceof NormalizeSpec source           ? source.source()
                                                             : "";
    String label = operator.id() + " (" + operator.kind() + (called.isEmpty() ? "" : " " + called)
        + ")" + (text.isEmpty() || !called.isEmpty() ? "" : " [" + text + "]");
    return new OperatorName(
        label, origins.place(operator), text.isEmpty() ? operator.kind() : text);
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
      return chain((StatelessSpec) specs.get(from), distribution);
    }
    if (distribution == null || distribution.isMetBy(node.partitioning)) {
      return new Input(node, null);
    }
    return new Input(node, Segment.plan(session, distribution.exchange(leaf(node, from))));
  }

  /** A stateless operator over its input, and the exchange after it unless it is not needed. */
  private Input chain(StatelessSpec stateless, Distribution distribution) {
    int from = stateless.inputs().get(0);
    Node node = nodes.get(from);
    if (node == null) {
      throw new IllegalStateException("operator " + from + " was fused with two others");
    }
    LogicalPlan chain = steps.apply(leaf(node, from), stateless);
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
    StatelessSpec chain = nodes.containsKey(from) ? null : (StatelessSpec) specs.get(from);
    int source = chain == null ? from : chain.inputs().get(0);
    LogicalPlan rows = leaf(plain.from(), source, SinglePartition$.MODULE$);
    if (chain != null) {
      rows = steps.apply(rows, chain);
    }
    Segment segment = Segment.plan(
        session, distribution.exchange(partial.over(rows, columns.weight())), origins.of(chain));
    return segment.exchanges() == 1 ? new Input(plain.from(), segment) : null;
  }

  /** The input with a copy for every task of rows whose key is hot. */
  private Input copied(int from, List<Integer> hot, Distribution distribution) {
    Node node = nodes.get(from);
    StatelessSpec chain = node == null ? (StatelessSpec) specs.get(from) : null;
    int source = chain == null ? from : chain.inputs().get(0);
    LogicalPlan rows = leaf(nodes.get(source), source);
    if (chain != null) {
      rows = steps.apply(rows, chain);
    }
    LogicalPlan placed =
        Placement.copied(rows, distribution.keys().get(0), hot, distribution.partitions());
    return new Input(nodes.get(source), Segment.plan(session, placed, origins.of(chain)));
  }

  private LogicalPlan leaf(Node node, int id) {
    return leaf(node, id, node.partitioning);
  }

  private LogicalPlan leaf(Node node, int id, Partitioning partitioning) {
    List<Attribute> output = new ArrayList<>(columns.attributes(specs.get(id).columns()));
    output.add(columns.weight());
    return Segment.leaf(session, output, partitioning);
  }
}
