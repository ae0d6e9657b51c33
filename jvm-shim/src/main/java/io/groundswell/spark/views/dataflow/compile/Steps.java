package io.groundswell.spark.views.dataflow.compile;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Attempt;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.capture.refuse.Failing;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.BaseEvalPython;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.Seq;

/** Builds the Catalyst plan of a stateless operator out of captured nodes and expressions. */
final class Steps {
  private final CapturedPlan plan;
  private final Columns columns;

  Steps(CapturedPlan plan, Columns columns) {
    this.plan = plan;
    this.columns = columns;
  }

  /** Puts the steps on top of {@code input}; the result has just {@code output} and the weight. */
  LogicalPlan apply(LogicalPlan input, JsonNode steps, List<String> output) {
    LogicalPlan result = input;
    for (JsonNode step : steps) {
      result = apply(result, step);
    }
    List<NamedExpression> wanted = named(columns.attributes(output), result, "columns");
    return project(wanted, result);
  }

  private LogicalPlan apply(LogicalPlan input, JsonNode step) {
    String kind = step.fieldNames().hasNext() ? step.fieldNames().next() : "";
    JsonNode spec = step.path(kind);
    return switch (kind) {
      case "project", "results" -> {
        List<NamedExpression> list =
            new ArrayList<>(plan.node(spec.path("node").asInt()).results());
        list.addAll(carried(spec, input, list));
        yield project(list, input);
      }
      case "filter" -> new Filter(condition(spec.path("node").asInt()), input);
      case "where" -> new Filter(plan.expression(spec.asText()), input);
      case "present" -> new Filter(new IsNotNull(columns.attribute(spec.asText())), input);
      case "digests" -> new Filter(digests(spec), input);
      case "evaluate" -> {
        LogicalPlan node = plan.node(spec.path("node").asInt()).plan();
        if (!(node instanceof BaseEvalPython)) {
          throw new IllegalArgumentException(
              "step " + step + ": " + node.nodeName() + " does not evaluate Python functions");
        }
        yield node.withNewChildren(Scala.seq(List.of(input)));
      }
      case "expand" -> expand(spec, input);
      case "generate" -> {
        if (!(plan.node(spec.path("node").asInt()).plan() instanceof Generate generate)) {
          throw new IllegalArgumentException("step " + step + ": its node is no Generate");
        }
        yield Algebra.generate(generate.generator(), generate.outer(),
            Scala.list(generate.qualifiedGeneratorOutput()), input);
      }
      case "compute" -> {
        List<NamedExpression> list = new ArrayList<>(visible(input));
        for (JsonNode item : spec) {
          Expression value = plan.expression(item.path("expr").asText());
          list.add(alias(
              item.hasNonNull("when") ? when(item, value) : value, item.path("ref").asText()));
        }
        yield project(list, input);
      }
      case "bucket" -> {
        List<NamedExpression> list = new ArrayList<>(visible(input));
        Expression value = Algebra.bucket(
            columns.attributes(Json.strings(spec.path("of"))), spec.path("count").asInt());
        list.add(alias(value, spec.path("ref").asText()));
        yield project(list, input);
      }
      case "map" -> {
        List<NamedExpression> list = new ArrayList<>();
        spec.forEach(item -> list.add(mapped(item, input)));
        yield project(list, input);
      }
      default -> throw new IllegalArgumentException("unknown step " + step + " in a dataflow");
    };
  }

  /** Every projection passes on the carried columns and the weight, and may say which it is. */
  private LogicalPlan expand(JsonNode spec, LogicalPlan input) {
    int id = spec.path("node").asInt();
    if (!(plan.node(id).plan() instanceof Expand node)) {
      throw new IllegalArgumentException("node " + id + " of the captured plan is no Expand");
    }
    List<Attribute> passed = new ArrayList<>(columns.attributes(Json.strings(spec.path("carry"))));
    passed.add(columns.weight());
    named(passed, input, "carry");
    List<Attribute> output = new ArrayList<>(Scala.list(node.output()));
    output.addAll(passed);
    if (spec.hasNonNull("branch")) {
      output.add(columns.attribute(spec.path("branch").asText()));
    }
    List<Seq<Expression>> projections = new ArrayList<>();
    for (Seq<Expression> each : Scala.list(node.projections())) {
      List<Expression> projection = new ArrayList<>(Scala.list(each));
      projection.addAll(passed);
      if (spec.hasNonNull("branch")) {
        projection.add(Literal.create(projections.size(), DataTypes.IntegerType));
      }
      projections.add(Scala.seq(projection));
    }
    return new Expand(Scala.seq(projections), Scala.seq(output), input);
  }

  /** True for the rows that the expressions can be evaluated for, or for all others. */
  private Expression digests(JsonNode spec) {
    List<Expression> parts = new ArrayList<>();
    for (JsonNode item : spec.path("exprs")) {
      Failing.parts(plan.expression(item.path("expr").asText()))
          .forEach(part -> parts.add(item.hasNonNull("when") ? when(item, part) : part));
    }
    Expression digests = Attempt.digests(parts);
    return spec.path("failed").asBoolean() ? new IsNull(digests) : digests;
  }

  /** Null for rows that a condition does not hold for. */
  private Expression when(JsonNode item, Expression value) {
    return Algebra.either(
        plan.expression(item.path("when").asText()), value, Literal.create(null, value.dataType()));
  }

  private Expression condition(int node) {
    if (plan.node(node).plan() instanceof Filter filter) {
      return filter.condition();
    }
    throw new IllegalArgumentException("node " + node + " of the captured plan is no Filter");
  }

  private NamedExpression mapped(JsonNode item, LogicalPlan input) {
    String to = item.path("to").asText();
    DataType type = columns.attribute(to).dataType();
    if (item.has("from")) {
      Attribute from = columns.attribute(item.path("from").asText());
      named(List.of(from), input, "map");
      if (!from.dataType().sameType(type)) {
        throw new IllegalArgumentException("map " + item + ": column " + from.name() + " is "
            + from.dataType().sql() + ", and " + to + " is " + type.sql());
      }
      return from.exprId().equals(columns.attribute(to).exprId()) ? from : alias(from, to);
    }
    return alias(
        item.has("literal") ? literal(item.path("literal"), type) : Literal.create(null, type), to);
  }

  private static Expression literal(JsonNode value, DataType type) {
    Object plain = value.isBoolean() ? (Object) value.booleanValue()
        : value.isIntegralNumber()   ? (Object) value.longValue()
        : value.isNumber()           ? (Object) value.doubleValue()
                                     : value.asText();
    Expression cast = Catalyst.cast(plain, type);
    return Literal.create(cast.eval(null), type);
  }

  private NamedExpression alias(Expression value, String ref) {
    Attribute to = columns.attribute(ref);
    return Catalyst.alias(value, to.name(), to.exprId());
  }

  /** Carried columns that the projection does not give by itself. */
  private List<NamedExpression> carried(
      JsonNode spec, LogicalPlan input, List<NamedExpression> given) {
    List<Attribute> carry =
        columns.attributes(Json.strings(spec.path("carry")))
            .stream()
            .filter(a -> given.stream().noneMatch(g -> g.exprId().equals(a.exprId())))
            .toList();
    return named(carry, input, "carry");
  }

  private LogicalPlan project(List<NamedExpression> list, LogicalPlan input) {
    List<NamedExpression> all = new ArrayList<>(list);
    all.add(columns.weight());
    return Catalyst.project(all, input);
  }

  private List<Attribute> visible(LogicalPlan input) {
    return Scala.list(input.output())
        .stream()
        .filter(a -> !a.exprId().equals(columns.weight().exprId()))
        .toList();
  }

  private List<NamedExpression> named(List<Attribute> wanted, LogicalPlan input, String where) {
    for (Attribute attribute : wanted) {
      if (!input.outputSet().contains(attribute)) {
        throw new IllegalArgumentException(where + " of a stateless operator names "
            + CapturedPlan.ref(attribute) + " (" + attribute.name() + "), and its input has "
            + Scala.list(input.output()));
      }
    }
    return new ArrayList<>(wanted);
  }
}
