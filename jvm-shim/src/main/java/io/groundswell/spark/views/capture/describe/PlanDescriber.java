package io.groundswell.spark.views.capture.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.shims.PythonFunctions;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.rewrite.AggregateParts;
import io.groundswell.spark.views.capture.rewrite.JoinKeys;
import io.groundswell.spark.views.capture.rewrite.Positions;
import io.groundswell.spark.views.capture.rewrite.TemporalFilters;
import io.groundswell.spark.views.capture.stream.StandInLeaf;
import io.groundswell.spark.views.capture.stream.StandInRdd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDAF;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.SessionWindow$;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
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
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;
import scala.collection.immutable.Seq;

/** Walks an optimised plan, top down, and writes what Python needs to plan with. */
public final class PlanDescriber {
  private static final int MAX_FIELDS = 25;

  private final CapturedPlan plan;
  private final ExpressionDescriber expressions;
  private final BiConsumer<String, StandInRdd> sources;
  private final ArrayNode nodes = Json.array();

  public PlanDescriber(CapturedPlan plan, BiConsumer<String, StandInRdd> sources) {
    this.plan = plan;
    this.expressions = new ExpressionDescriber(plan);
    this.sources = sources;
  }

  /** Describes several queries in one go: what they share has one id. */
  public ObjectNode describe(List<LogicalPlan> queries) {
    ArrayNode roots = Json.array();
    queries.forEach(query -> roots.add(visit(query)));
    ObjectNode result = Json.object();
    result.set("root", roots.get(0));
    result.set("roots", roots);
    result.set("nodes", nodes);
    return result;
  }

  private int visit(LogicalPlan node) {
    StandInRdd source = StandInLeaf.rdd(node);
    if (source != null) {
      sources.accept(source.key(), source);
      ObjectNode out = begin(node, "StandIn", List.of());
      out.put("text", "StandIn " + source.key()).put("source", source.key());
      if (source.use() != null) {
        out.put("use", source.use());
      }
      return finish(out, node, List.of());
    } else if (Constants.isConstant(node)) {
      return visitConstant(node);
    } else if (node instanceof Generate generate) {
      return visitGenerate(generate);
    } else if (node instanceof Project project) {
      List<NamedExpression> list = Scala.list(project.projectList());
      ObjectNode out = begin(node, "Project", list);
      out.set("exprs", expressions.describeNamed(list));
      return finish(out, node, List.of(project.child()));
    } else if (node instanceof Filter filter) {
      ObjectNode out = begin(node, "Filter", List.of());
      List<TemporalFilters.Temporal> temporal = new ArrayList<>();
      Expression rest = TemporalFilters.split(filter.condition(), temporal);
      out.set("condition",
          temporal.isEmpty() ? expressions.describeCondition(filter.condition())
              : rest == null ? null
                             : expressions.describeCondition(rest));
      if (!temporal.isEmpty()) {
        expressions.describeTemporal(temporal, out.putArray("temporal"));
      }
      return finish(out, node, List.of(filter.child()));
    } else if (node instanceof BaseEvalPython evaluate) {
      ObjectNode out = begin(node, "Evaluate", List.of());
      ArrayNode udfs = out.putArray("udfs");
      for (PythonUDF udf : Scala.list(evaluate.udfs())) {
        ObjectNode item = expressions.describe(udf);
        addCommands(udf, item.putArray("commands"), item.putObject("broadcasts"));
        udfs.add(item);
      }
      return finish(out, node, List.of(evaluate.child()));
    } else if (node instanceof Join join) {
      return visitJoin(join);
    } else if (node instanceof Aggregate aggregate) {
      return visitAggregate(aggregate);
    } else if (node instanceof Window window) {
      List<NamedExpression> functions = Scala.list(window.windowExpressions());
      ObjectNode out = begin(node, "Window", functions);
      out.set("functions", expressions.describeNamed(functions));
      out.put("python",
          functions.stream().anyMatch(each
              -> ((Expression) each).exists(Scala.function(part -> part instanceof PythonUDAF))));
      return finishWindow(out, node, window.partitionSpec(), window.orderSpec());
    } else if (node instanceof WindowGroupLimit limit) {
      ObjectNode out = begin(node, "WindowGroupLimit", List.of());
      out.put("fn", limit.rankLikeFunction().prettyName()).put("limit", limit.limit());
      return finishWindow(out, node, limit.partitionSpec(), limit.orderSpec());
    } else if (node instanceof Expand expand) {
      ObjectNode out = begin(node, "Expand", List.of());
      ArrayNode projections = out.putArray("projections");
      Scala.list(expand.projections())
          .forEach(each -> projections.add(expressions.describeAll(Scala.list(each))));
      return finish(out, node, List.of(expand.child()));
    } else if (node instanceof Sort sort) {
      ObjectNode out = begin(node, "Sort", List.of());
      out.put("global", sort.global());
      out.set("order", expressions.describeOrder(Scala.list(sort.order())));
      return finish(out, node, List.of(sort.child()));
    } else if (node instanceof GlobalLimit limit) {
      return visitCount(node, "Limit", "limit", limit.limitExpr());
    } else if (node instanceof LocalLimit limit) {
      return visitCount(node, "LocalLimit", "limit", limit.limitExpr());
    } else if (node instanceof Offset offset) {
      return visitCount(node, "Offset", "offset", offset.offsetExpr());
    }
    return finish(begin(node, node.nodeName(), List.of()), node, Scala.list(node.children()));
  }

  private int finishWindow(
      ObjectNode out, LogicalPlan node, Seq<Expression> partition, Seq<SortOrder> order) {
    out.set("partition", expressions.describeAll(Scala.list(partition)));
    out.set("order", expressions.describeOrder(Scala.list(order)));
    return finish(out, node, Scala.list(node.children()));
  }

  private int visitConstant(LogicalPlan node) {
    ObjectNode out = begin(node, "Constant", List.of());
    out.put("text", Constants.text(node)).put("single", Constants.isSingle(node));
    out.put("tables", Constants.readsTables(node));
    if (TemporalFilters.isIn(node)) {
      out.put("clock", true);
    }
    return finish(out, node, List.of());
  }

  private int visitGenerate(Generate generate) {
    Attribute position = Positions.position(generate);
    ObjectNode out = begin(generate, "Generate", List.of());
    out.set("generator", expressions.describe((Expression) generate.generator()));
    out.put("position", position == null ? null : CapturedPlan.ref(position));
    out.put("outer", generate.outer()).put("single", Positions.isSingle(generate));
    out.set("generated",
        Json.strings(
            Scala.list(generate.generatorOutput()).stream().map(CapturedPlan::ref).toList()));
    return finish(out, generate, List.of(generate.child()));
  }

  /** The functions as Python sent them to this JVM, of which it can make out the code again. */
  private static void addCommands(Expression expression, ArrayNode out, ObjectNode broadcasts) {
    if (expression instanceof PythonUDF udf) {
      out.add(PythonFunctions.command(udf.func()));
      PythonFunctions.broadcasts(udf.func())
          .forEach((id, file) -> broadcasts.put(Long.toString(id), file));
    }
    Scala.list(expression.children()).forEach(child -> addCommands(child, out, broadcasts));
  }

  private int visitJoin(Join join) {
    JoinKeys keys = JoinKeys.of(join);
    ObjectNode out = begin(join, "Join", List.of());
    if (join.joinType() instanceof ExistenceJoin existence) {
      plan.addAttribute(existence.exists());
      out.put("joinType", "EXISTENCE").put("exists", CapturedPlan.ref(existence.exists()));
    } else {
      out.put("joinType", join.joinType().sql());
    }
    out.set("leftKeys", expressions.describeAll(keys.left()));
    out.set("rightKeys", expressions.describeAll(keys.right()));
    out.set("residual",
        keys.residual() == null ? null : expressions.describeCondition(keys.residual()));
    TimeDistance distance = TimeDistance.of(join, keys.residual());
    if (distance != null) {
      out.putObject("interval")
          .put("left", CapturedPlan.ref(distance.left()))
          .put("right", CapturedPlan.ref(distance.right()))
          .put("low", distance.low())
          .put("high", distance.high());
    }
    return finish(out, join, List.of(join.left(), join.right()));
  }

  private int visitAggregate(Aggregate aggregate) {
    AggregateParts parts = AggregateParts.of(aggregate);
    ObjectNode out = begin(aggregate, "Aggregate", parts.results());
    out.set("grouping", expressions.describeAll(parts.grouping()));
    parts.grouping()
        .stream()
        .filter(key -> key.metadata().contains(SessionWindow$.MODULE$.marker()))
        .forEach(key -> out.put("session", CapturedPlan.ref(key)));
    ArrayNode calls = out.putArray("calls");
    parts.calls().forEach(call -> calls.add(expressions.describeCall(call)));
    out.set("results", expressions.describeNamed(parts.results()));
    return finish(out, aggregate, List.of(parts.child()));
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

  private int visitCount(LogicalPlan node, String op, String field, Expression count) {
    ObjectNode out = begin(node, op, List.of());
    out.put(field, ((Number) count.eval(null)).longValue());
    return finish(out, node, Scala.list(node.children()));
  }

  private ObjectNode begin(LogicalPlan node, String op, List<NamedExpression> results) {
    int id = plan.newNode();
    plan.set(id, node, results);
    ObjectNode out = nodes.addObject().put("id", id).put("op", op);
    out.put("text", node.simpleString(MAX_FIELDS));
    return out;
  }

  private int finish(ObjectNode out, LogicalPlan node, List<LogicalPlan> children) {
    ArrayNode output = out.putArray("output");
    for (Attribute attribute : Scala.list(node.output())) {
      output.add(expressions.describeColumn(attribute));
    }
    List<Integer> ids = new ArrayList<>();
    for (LogicalPlan child : children) {
      ids.add(isFilled(node, child) ? plan.nullable(() -> visit(child)) : visit(child));
    }
    ArrayNode list = out.putArray("children");
    ids.forEach(list::add);
    return out.get("id").asInt();
  }
}
