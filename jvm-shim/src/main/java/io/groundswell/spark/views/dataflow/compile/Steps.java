package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Attempt;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.ShortKey;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.capture.refuse.Failing;
import io.groundswell.spark.views.contract.dataflow.StatelessSpec;
import io.groundswell.spark.views.contract.dataflow.Step;
import io.groundswell.spark.views.contract.dataflow.part.AttemptSpec;
import io.groundswell.spark.views.contract.dataflow.part.MappedColumn;
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

  /** Puts a chain on top of {@code input}; the result has just its columns and the weight. */
  LogicalPlan apply(LogicalPlan input, StatelessSpec chain) {
    LogicalPlan result = input;
    for (Step step : chain.steps()) {
      result = apply(result, step);
    }
    return project(named(columns.attributes(chain.columns()), result, "columns"), result);
  }

  private LogicalPlan apply(LogicalPlan input, Step step) {
    if (step instanceof Step.Project project) {
      return projected(project.node(), project.carry(), input);
    }
    if (step instanceof Step.Results results) {
      return projected(results.node(), results.carry(), input);
    }
    Expression condition = condition(step);
    if (condition != null) {
      return new Filter(condition, input);
    }
    if (step instanceof Step.Digests digests) {
      return new Filter(digests(digests), input);
    }
    if (step instanceof Step.Evaluate evaluate) {
      return evaluated(evaluate, input);
    }
    if (step instanceof Step.Expand expand) {
      return expand(expand, input);
    }
    if (step instanceof Step.Generate generate) {
      return generated(generate, input);
    }
    if (step instanceof Step.Compute compute) {
      List<NamedExpression> list = new ArrayList<>(visible(input));
      compute.values().forEach(
          each -> list.add(alias(when(each.when(), plan.expression(each.expr())), each.ref())));
      return project(list, input);
    }
    if (step instanceof Step.Bucket bucket) {
      List<NamedExpression> list = new ArrayList<>(visible(input));
      list.add(
          alias(Algebra.bucket(columns.attributes(bucket.of()), bucket.count()), bucket.ref()));
      return project(list, input);
    }
    List<NamedExpression> list = new ArrayList<>();
    ((Step.Select) step).columns().forEach(column -> list.add(mapped(column, input)));
    return project(list, input);
  }

  /** The condition of a filter as the query has it; null: the step is none. */
  Expression condition(Step step) {
    if (step instanceof Step.Filter filter) {
      return condition(filter.node());
    }
    if (step instanceof Step.Where where) {
      return plan.expression(where.condition());
    }
    return step instanceof Step.Present present ? new IsNotNull(columns.attribute(present.column()))
                                                : null;
  }

  private LogicalPlan projected(int node, List<String> carry, LogicalPlan input) {
    List<NamedExpression> list = new ArrayList<>(plan.node(node).results());
    list.addAll(carried(carry, input, list));
    return project(list, input);
  }

  private LogicalPlan evaluated(Step.Evaluate step, LogicalPlan input) {
    LogicalPlan node = plan.node(step.node()).plan();
    if (!(node instanceof BaseEvalPython)) {
      throw new IllegalArgumentException(
          "step " + step + ": " + node.nodeName() + " does not evaluate Python functions");
    }
    return node.withNewChildren(Scala.seq(List.of(input)));
  }

  private LogicalPlan generated(Step.Generate step, LogicalPlan input) {
    if (!(plan.node(step.node()).plan() instanceof Generate generate)) {
      throw new IllegalArgumentException("step " + step + ": its node is not a Generate");
    }
    return Algebra.generate(generate.generator(), generate.outer(),
        Scala.list(generate.qualifiedGeneratorOutput()), input);
  }

  /** Every projection passes on the carried columns and the weight, and may say which it is. */
  private LogicalPlan expand(Step.Expand step, LogicalPlan input) {
    if (!(plan.node(step.node()).plan() instanceof Expand node)) {
      throw new IllegalArgumentException(
          "node " + step.node() + " of the captured plan is not an Expand");
    }
    List<Attribute> passed = new ArrayList<>(columns.attributes(step.carry()));
    passed.add(columns.weight());
    named(passed, input, "carry");
    List<Attribute> output = new ArrayList<>(Scala.list(node.output()));
    output.addAll(passed);
    if (step.branch() != null) {
      output.add(columns.attribute(step.branch()));
    }
    List<Seq<Expression>> projections = new ArrayList<>();
    for (Seq<Expression> each : Scala.list(node.projections())) {
      List<Expression> projection = new ArrayList<>(Scala.list(each));
      projection.addAll(passed);
      if (step.branch() != null) {
        projection.add(Literal.create(projections.size(), DataTypes.IntegerType));
      }
      projections.add(Scala.seq(projection));
    }
    return new Expand(Scala.seq(projections), Scala.seq(output), input);
  }

  /** True for the rows that the expressions can be evaluated for, or for all others. */
  private Expression digests(Step.Digests step) {
    List<Expression> parts = new ArrayList<>();
    for (AttemptSpec attempt : step.attempts()) {
      if (attempt.expr() == null) {
        List<Expression> key = new ArrayList<>(columns.attributes(attempt.key()));
        attempt.exprs().forEach(id -> key.add(plan.expression(id)));
        ShortKey isShort =
            new ShortKey(Scala.seq(key), attempt.text(), attempt.most(), attempt.ordered());
        parts.add(when(attempt.when(), isShort));
        continue;
      }
      Failing.parts(plan.expression(attempt.expr()))
          .forEach(part -> parts.add(when(attempt.when(), part)));
    }
    Expression digests = Attempt.digests(parts);
    return step.failed() ? new IsNull(digests) : digests;
  }

  /** Null for rows that a condition does not hold for. */
  private Expression when(String condition, Expression value) {
    return condition == null
        ? value
        : Algebra.either(plan.expression(condition), value, Literal.create(null, value.dataType()));
  }

  private Expression condition(int node) {
    if (plan.node(node).plan() instanceof Filter filter) {
      return filter.condition();
    }
    throw new IllegalArgumentException("node " + node + " of the captured plan is not a Filter");
  }

  private NamedExpression mapped(MappedColumn column, LogicalPlan input) {
    String to = column.to();
    DataType type = columns.attribute(to).dataType();
    if (column.of() == null) {
      return alias(literal(column.literal(), type), to);
    }
    Attribute from = columns.attribute(column.of());
    named(List.of(from), input, "map");
    if (!from.dataType().sameType(type)) {
      throw new IllegalArgumentException("map " + column + ": column " + from.name() + " is "
          + from.dataType().sql() + ", and " + to + " is " + type.sql());
    }
    return from.exprId().equals(columns.attribute(to).exprId()) ? from : alias(from, to);
  }

  private static Expression literal(Long value, DataType type) {
    return Literal.create(value == null ? null : Catalyst.cast(value, type).eval(null), type);
  }

  private NamedExpression alias(Expression value, String ref) {
    Attribute to = columns.attribute(ref);
    return Catalyst.alias(value, to.name(), to.exprId());
  }

  /** Carried columns that the projection does not give by itself. */
  private List<NamedExpression> carried(
      List<String> refs, LogicalPlan input, List<NamedExpression> given) {
    List<Attribute> carry =
        columns.attributes(refs)
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
