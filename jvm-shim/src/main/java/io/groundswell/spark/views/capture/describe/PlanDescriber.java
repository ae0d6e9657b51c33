package io.groundswell.spark.views.capture.describe;

import io.groundswell.spark.shims.ExpectRows;
import io.groundswell.spark.shims.Expected;
import io.groundswell.spark.shims.PythonFunctions;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.rewrite.AggregateParts;
import io.groundswell.spark.views.capture.rewrite.JoinKeys;
import io.groundswell.spark.views.capture.rewrite.Positions;
import io.groundswell.spark.views.capture.rewrite.TemporalFilters;
import io.groundswell.spark.views.capture.stream.PlaceholderLeaf;
import io.groundswell.spark.views.capture.stream.PlaceholderRdd;
import io.groundswell.spark.views.contract.capture.AggregateNode;
import io.groundswell.spark.views.contract.capture.CallDescription;
import io.groundswell.spark.views.contract.capture.ColumnDescription;
import io.groundswell.spark.views.contract.capture.ConditionDescription;
import io.groundswell.spark.views.contract.capture.ConstantNode;
import io.groundswell.spark.views.contract.capture.EvaluateNode;
import io.groundswell.spark.views.contract.capture.ExpandNode;
import io.groundswell.spark.views.contract.capture.ExpectNode;
import io.groundswell.spark.views.contract.capture.ExpressionDescription;
import io.groundswell.spark.views.contract.capture.FilterNode;
import io.groundswell.spark.views.contract.capture.GenerateNode;
import io.groundswell.spark.views.contract.capture.IntervalDescription;
import io.groundswell.spark.views.contract.capture.JoinNode;
import io.groundswell.spark.views.contract.capture.LimitNode;
import io.groundswell.spark.views.contract.capture.LocalLimitNode;
import io.groundswell.spark.views.contract.capture.NodeDescription;
import io.groundswell.spark.views.contract.capture.OffsetNode;
import io.groundswell.spark.views.contract.capture.OtherNode;
import io.groundswell.spark.views.contract.capture.PlaceholderNode;
import io.groundswell.spark.views.contract.capture.ProjectNode;
import io.groundswell.spark.views.contract.capture.SortDescription;
import io.groundswell.spark.views.contract.capture.SortNode;
import io.groundswell.spark.views.contract.capture.TemporalDescription;
import io.groundswell.spark.views.contract.capture.UdfDescription;
import io.groundswell.spark.views.contract.capture.UnionNode;
import io.groundswell.spark.views.contract.capture.WindowGroupLimitNode;
import io.groundswell.spark.views.contract.capture.WindowNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDAF;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.SessionWindow$;
import org.apache.spark.sql.catalyst.plans.ExistenceJoin;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.BaseEvalPython;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;

/** Walks an optimised plan, top down, and writes what Python needs to plan with. */
public final class PlanDescriber {
  private static final int MAX_FIELDS = 25;

  private final CapturedPlan plan;
  private final ExpressionDescriber expressions;
  private final BiConsumer<String, PlaceholderRdd> sources;

  /** By id: each stands before those below it. */
  private final List<NodeDescription> nodes = new ArrayList<>();

  /** Makes a node's document of what all nodes have. */
  private interface Maker {
    NodeDescription make(List<ColumnDescription> output, List<Integer> children, String text);
  }

  public PlanDescriber(CapturedPlan plan, BiConsumer<String, PlaceholderRdd> sources) {
    this.plan = plan;
    this.expressions = new ExpressionDescriber(plan);
    this.sources = sources;
  }

  /** Describes several queries in one go: what they share has one id. */
  public List<Integer> describe(List<LogicalPlan> queries) {
    return queries.stream().map(this::visit).toList();
  }

  /** What was described so far. */
  public List<NodeDescription> nodes() {
    return nodes;
  }

  private int visit(LogicalPlan node) {
    PlaceholderRdd source = PlaceholderLeaf.rdd(node);
    if (source != null) {
      sources.accept(source.key(), source);
      int id = begin(node, List.of());
      return finish(id, node, List.of(),
          (output, children, text)
              -> new PlaceholderNode(
                  id, output, children, "Placeholder " + source.key(), source.key(), source.use()));
    } else if (Constants.isConstant(node)) {
      int id = begin(node, List.of());
      return finish(id, node, List.of(),
          (output, children, text)
              -> new ConstantNode(id, output, children, Constants.text(node),
                  Constants.isSingle(node), Constants.readsTables(node),
                  TemporalFilters.isIn(node)));
    } else if (node instanceof Generate generate) {
      return visitGenerate(generate);
    } else if (node instanceof Project project) {
      List<NamedExpression> list = Scala.list(project.projectList());
      int id = begin(node, list);
      List<ExpressionDescription> exprs = expressions.describeNamed(list);
      return finish(id, node, List.of(project.child()),
          (output, children, text) -> new ProjectNode(id, output, children, text, exprs));
    } else if (node instanceof Filter filter) {
      return visitFilter(filter);
    } else if (node instanceof ExpectRows rows) {
      int id = begin(rows, List.of());
      ExpressionDescription condition = expressions.describe(rows.expected());
      Expected expected = (Expected) rows.expected();
      return finish(id, rows, List.of(rows.child()),
          (output, children, text)
              -> new ExpectNode(id, output, children, text, condition, expected.owner(),
                  expected.name(), rows.action()));
    } else if (node instanceof BaseEvalPython evaluate) {
      int id = begin(node, List.of());
      List<UdfDescription> udfs = new ArrayList<>();
      Scala.list(evaluate.udfs()).forEach(udf -> udfs.add(describeUdf(udf)));
      return finish(id, node, List.of(evaluate.child()),
          (output, children, text) -> new EvaluateNode(id, output, children, text, udfs));
    } else if (node instanceof Join join) {
      return visitJoin(join);
    } else if (node instanceof Aggregate aggregate) {
      return visitAggregate(aggregate);
    } else if (node instanceof Window window) {
      return visitWindow(window);
    } else if (node instanceof WindowGroupLimit limit) {
      int id = begin(node, List.of());
      return finish(id, node, Scala.list(node.children()),
          (output, children, text)
              -> new WindowGroupLimitNode(id, output, children, text,
                  limit.rankLikeFunction().prettyName(), limit.limit()));
    } else if (node instanceof Expand expand) {
      int id = begin(node, List.of());
      List<List<ExpressionDescription>> projections = new ArrayList<>();
      Scala.list(expand.projections())
          .forEach(each -> projections.add(expressions.describeAll(Scala.list(each))));
      return finish(id, node, List.of(expand.child()),
          (output, children, text) -> new ExpandNode(id, output, children, text, projections));
    } else if (node instanceof Sort sort) {
      int id = begin(node, List.of());
      List<SortDescription> order = expressions.describeOrder(Scala.list(sort.order()));
      return finish(id, node, List.of(sort.child()),
          (output, children,
              text) -> new SortNode(id, output, children, text, order, sort.global()));
    }
    return visitPlain(node);
  }

  /** Nodes that have no expression that Python must know. */
  private int visitPlain(LogicalPlan node) {
    int id = begin(node, List.of());
    return finish(id, node, Scala.list(node.children()), (output, children, text) -> {
      if (node instanceof GlobalLimit limit) {
        return new LimitNode(id, output, children, text, count(limit.limitExpr()));
      } else if (node instanceof LocalLimit) {
        return new LocalLimitNode(id, output, children, text);
      } else if (node instanceof Offset offset) {
        return new OffsetNode(id, output, children, text, count(offset.offsetExpr()));
      } else if (node instanceof Union) {
        return new UnionNode(id, output, children, text);
      }
      return new OtherNode(id, output, children, text, node.nodeName());
    });
  }

  private static long count(Expression count) {
    return ((Number) count.eval(null)).longValue();
  }

  private int visitFilter(Filter filter) {
    int id = begin(filter, List.of());
    List<TemporalFilters.Temporal> temporal = new ArrayList<>();
    Expression rest = TemporalFilters.split(filter.condition(), temporal);
    Expression kept = temporal.isEmpty() ? filter.condition() : rest;
    ConditionDescription condition = kept == null ? null : expressions.describeCondition(kept);
    List<TemporalDescription> parts = expressions.describeTemporal(temporal);
    return finish(id, filter, List.of(filter.child()),
        (output, children, text) -> new FilterNode(id, output, children, text, condition, parts));
  }

  private int visitWindow(Window window) {
    List<NamedExpression> list = Scala.list(window.windowExpressions());
    int id = begin(window, list);
    List<ExpressionDescription> functions = expressions.describeNamed(list);
    boolean python = list.stream().anyMatch(
        each -> ((Expression) each).exists(Scala.function(part -> part instanceof PythonUDAF)));
    List<ExpressionDescription> partition =
        expressions.describeAll(Scala.list(window.partitionSpec()));
    List<SortDescription> order = expressions.describeOrder(Scala.list(window.orderSpec()));
    return finish(id, window, Scala.list(window.children()),
        (output, children, text)
            -> new WindowNode(id, output, children, text, functions, python, partition, order));
  }

  private int visitGenerate(Generate generate) {
    Attribute position = Positions.position(generate);
    int id = begin(generate, List.of());
    ExpressionDescription generator = expressions.describe((Expression) generate.generator());
    List<String> generated =
        Scala.list(generate.generatorOutput()).stream().map(CapturedPlan::ref).toList();
    return finish(id, generate, List.of(generate.child()),
        (output, children, text)
            -> new GenerateNode(id, output, children, text, generator, generated,
                position == null ? null : CapturedPlan.ref(position), generate.outer(),
                Positions.isSingle(generate)));
  }

  private UdfDescription describeUdf(PythonUDF udf) {
    ExpressionDescription call = expressions.describe(udf);
    List<String> commands = new ArrayList<>();
    Map<String, String> broadcasts = new LinkedHashMap<>();
    addCommands(udf, commands, broadcasts);
    return new UdfDescription(call, commands, broadcasts);
  }

  /** The functions as Python sent them to this JVM, of which it can make out the code again. */
  private static void addCommands(
      Expression expression, List<String> out, Map<String, String> broadcasts) {
    if (expression instanceof PythonUDF udf) {
      out.add(Base64.getEncoder().encodeToString(PythonFunctions.command(udf.func())));
      PythonFunctions.broadcasts(udf.func())
          .forEach((id, file) -> broadcasts.put(Long.toString(id), file));
    }
    Scala.list(expression.children()).forEach(child -> addCommands(child, out, broadcasts));
  }

  private int visitJoin(Join join) {
    JoinKeys keys = JoinKeys.of(join);
    int id = begin(join, List.of());
    ExistenceJoin existence = join.joinType() instanceof ExistenceJoin exists ? exists : null;
    if (existence != null) {
      plan.addAttribute(existence.exists());
    }
    List<ExpressionDescription> left = expressions.describeAll(keys.left());
    List<ExpressionDescription> right = expressions.describeAll(keys.right());
    ConditionDescription residual =
        keys.residual() == null ? null : expressions.describeCondition(keys.residual());
    TimeDistance distance = TimeDistance.of(join, keys.residual());
    IntervalDescription interval = distance == null
        ? null
        : new IntervalDescription(CapturedPlan.ref(distance.left()),
              CapturedPlan.ref(distance.right()), distance.low(), distance.high());
    return finish(id, join, List.of(join.left(), join.right()),
        (output, children, text)
            -> new JoinNode(id, output, children, text,
                existence == null ? join.joinType().sql() : "EXISTENCE",
                existence == null ? null : CapturedPlan.ref(existence.exists()), left, right,
                residual, interval));
  }

  private int visitAggregate(Aggregate aggregate) {
    AggregateParts parts = AggregateParts.of(aggregate);
    int id = begin(aggregate, parts.results());
    List<ExpressionDescription> grouping = expressions.describeAll(parts.grouping());
    String session = parts.grouping()
                         .stream()
                         .filter(key -> key.metadata().contains(SessionWindow$.MODULE$.marker()))
                         .map(CapturedPlan::ref)
                         .reduce((first, last) -> last)
                         .orElse(null);
    List<CallDescription> calls = new ArrayList<>();
    parts.calls().forEach(call -> calls.add(expressions.describeCall(call)));
    List<ExpressionDescription> results = expressions.describeNamed(parts.results());
    return finish(id, aggregate, List.of(parts.child()),
        (output, children, text)
            -> new AggregateNode(id, output, children, text, grouping, calls, results, session));
  }

  /** Whether an outer join fills the side with nulls. */
  private static boolean isFilled(LogicalPlan node, LogicalPlan side) {
    if (!(node instanceof Join join)) {
      return false;
    }
    boolean both = join.joinType() == FullOuter$.MODULE$;
    return (side == join.right() && (both || join.joinType() == LeftOuter$.MODULE$))
        || (side == join.left() && (both || join.joinType() == RightOuter$.MODULE$));
  }

  private int begin(LogicalPlan node, List<NamedExpression> results) {
    int id = plan.newNode();
    plan.set(id, node, results);
    nodes.add(null);
    return id;
  }

  private int finish(int id, LogicalPlan node, List<LogicalPlan> children, Maker maker) {
    List<ColumnDescription> output = new ArrayList<>();
    Scala.list(node.output())
        .forEach(attribute -> output.add(expressions.describeColumn(attribute)));
    List<Integer> ids = new ArrayList<>();
    for (LogicalPlan child : children) {
      ids.add(isFilled(node, child) ? plan.nullable(() -> visit(child)) : visit(child));
    }
    nodes.set(id, maker.make(output, ids, node.simpleString(MAX_FIELDS)));
    return id;
  }
}
