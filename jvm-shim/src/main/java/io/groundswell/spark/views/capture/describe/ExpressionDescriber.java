package io.groundswell.spark.views.capture.describe;

import io.groundswell.spark.shims.AggregateInputs;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.refuse.Failing;
import io.groundswell.spark.views.capture.rewrite.TemporalFilters;
import io.groundswell.spark.views.contract.capture.CallDescription;
import io.groundswell.spark.views.contract.capture.ColumnDescription;
import io.groundswell.spark.views.contract.capture.ConditionDescription;
import io.groundswell.spark.views.contract.capture.ExpressionDescription;
import io.groundswell.spark.views.contract.capture.SortDescription;
import io.groundswell.spark.views.contract.capture.TemporalDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;

/** Describes expressions and keeps them under ids. */
final class ExpressionDescriber {
  /** In names that Catalyst makes up. */
  private static final Pattern ID = Pattern.compile("#\\d+L?\\b|(?<=\\b_common_expr_)\\d+\\b");

  private final CapturedPlan plan;

  ExpressionDescriber(CapturedPlan plan) {
    this.plan = plan;
  }

  ColumnDescription describeColumn(Attribute attribute) {
    plan.addAttribute(attribute);
    return new ColumnDescription(CapturedPlan.ref(attribute), attribute.name(),
        attribute.dataType(), attribute.nullable(), TimeColumns.window(attribute));
  }

  List<ExpressionDescription> describeAll(List<? extends Expression> expressions) {
    List<ExpressionDescription> result = new ArrayList<>();
    expressions.forEach(expression -> result.add(describe(expression)));
    return result;
  }

  List<ExpressionDescription> describeNamed(List<NamedExpression> expressions) {
    return describeAll(expressions.stream().map(Expression.class ::cast).toList());
  }

  List<SortDescription> describeOrder(List<SortOrder> order) {
    List<SortDescription> keys = new ArrayList<>();
    for (SortOrder item : order) {
      keys.add(new SortDescription(describe(item.child()), item.isAscending(),
          item.nullOrdering().sql().equals("NULLS FIRST")));
    }
    return keys;
  }

  ExpressionDescription describe(Expression expression) {
    Expression value = expression instanceof Alias alias ? alias.child() : expression;
    String id = plan.add(expression);
    Expression start = TimeColumns.start(value);
    return new ExpressionDescription(id, sql(value), expression.dataType(), expression.nullable(),
        refs(expression), reads(expression), canon(value), HiddenArguments.of(value),
        expression.deterministic(), TemporalFilters.isIn(value), TimeColumns.time(value),
        start == null ? null : describe(start), FrameEnd.of(value),
        expression instanceof NamedExpression named ? CapturedPlan.ref(named) : null,
        SubqueryExpression.hasSubquery(expression),
        Failing.parts(value).stream().anyMatch(Failing::can), value instanceof Attribute);
  }

  /** A condition, and beside it the parts that must hold, each, where they are several. */
  ConditionDescription describeCondition(Expression condition) {
    ExpressionDescription whole = describe(condition);
    List<ExpressionDescription> parts = new ArrayList<>();
    if (condition instanceof And) {
      addParts(condition, parts);
    }
    return new ConditionDescription(whole, parts);
  }

  private void addParts(Expression condition, List<ExpressionDescription> out) {
    if (condition instanceof And both) {
      addParts(both.left(), out);
      addParts(both.right(), out);
    } else {
      out.add(describe(condition));
    }
  }

  CallDescription describeCall(AggregateExpression call) {
    plan.addAttribute(call.resultAttribute());
    return new CallDescription(plan.add(call), call.aggregateFunction().prettyName(), sql(call),
        canon(call), HiddenArguments.of(call), call.isDistinct(),
        call.filter().isEmpty() ? null : describe(call.filter().get()),
        describeAll(Scala.list(call.aggregateFunction().children())),
        describeAll(AggregateInputs.of(call.aggregateFunction())),
        CapturedPlan.ref(call.resultAttribute()), call.dataType());
  }

  List<TemporalDescription> describeTemporal(List<TemporalFilters.Temporal> filters) {
    List<TemporalDescription> out = new ArrayList<>();
    for (TemporalFilters.Temporal filter : filters) {
      out.add(new TemporalDescription(describe(filter.time()), filter.offset(), filter.inclusive(),
          filter.made() == null ? null : describe(filter.made()), filter.begins()));
    }
    return out;
  }

  private static List<String> refs(Expression expression) {
    return Scala.list(expression.references().toSeq()).stream().map(CapturedPlan::ref).toList();
  }

  /** The columns in the order in which they stand there: SQL text may not tell two of one name. */
  private static List<String> reads(Expression expression) {
    return Scala.list(expression.collectLeaves())
        .stream()
        .filter(Attribute.class ::isInstance)
        .map(leaf -> CapturedPlan.ref((Attribute) leaf))
        .toList();
  }

  /** What equal expressions of several queries and runs have in common. */
  static String meaning(Expression expression) {
    String hidden = HiddenArguments.of(expression);
    return hidden.isEmpty() ? canon(expression) : canon(expression) + " " + hidden;
  }

  /** SQL text in which columns are not called after the tables of this one query, or by ids. */
  private static String canon(Expression expression) {
    return sql(expression.transform(Scala.rule(node
        -> node instanceof Attribute column
            ? column.withName(ID.matcher(column.name()).replaceAll(""))
                  .withQualifier(Catalyst.nil())
            : node)));
  }

  /** SQL text, also of what only the optimiser makes. */
  private static String sql(Expression expression) {
    try {
      return expression.sql();
    } catch (RuntimeException e) {
      return Scala.list(expression.children())
          .stream()
          .map(ExpressionDescriber::sql)
          .collect(Collectors.joining(", ", expression.prettyName() + "(", ")"));
    }
  }
}
