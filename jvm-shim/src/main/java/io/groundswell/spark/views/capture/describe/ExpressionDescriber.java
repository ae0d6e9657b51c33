package io.groundswell.spark.views.capture.describe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.AggregateInputs;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.refuse.Failing;
import io.groundswell.spark.views.capture.rewrite.TemporalFilters;
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

  ObjectNode describeColumn(Attribute attribute) {
    plan.addAttribute(attribute);
    ObjectNode out =
        Json.object().put("ref", CapturedPlan.ref(attribute)).put("name", attribute.name());
    out.set("type", Json.parse(attribute.dataType().json()));
    String window = TimeColumns.window(attribute);
    if (window != null) {
      out.put("window", window);
    }
    return out.put("nullable", attribute.nullable());
  }

  ArrayNode describeAll(List<? extends Expression> expressions) {
    ArrayNode result = Json.array();
    expressions.forEach(expression -> result.add(describe(expression)));
    return result;
  }

  ArrayNode describeNamed(List<NamedExpression> expressions) {
    return describeAll(expressions.stream().map(Expression.class ::cast).toList());
  }

  ArrayNode describeOrder(List<SortOrder> order) {
    ArrayNode keys = Json.array();
    for (SortOrder item : order) {
      ObjectNode key = keys.addObject();
      key.set("expr", describe(item.child()));
      key.put("ascending", item.isAscending());
      key.put("nullsFirst", item.nullOrdering().sql().equals("NULLS FIRST"));
    }
    return keys;
  }

  ObjectNode describe(Expression expression) {
    Expression value = expression instanceof Alias alias ? alias.child() : expression;
    ObjectNode out = Json.object().put("id", plan.add(expression)).put("sql", sql(value));
    out.set("type", Json.parse(expression.dataType().json()));
    out.put("nullable", expression.nullable());
    out.set("refs", refs(expression));
    out.set("reads", reads(expression));
    describeMeaning(value, out);
    out.put("deterministic", expression.deterministic());
    if (TemporalFilters.isIn(value)) {
      out.put("clock", true);
    }
    String time = TimeColumns.time(value);
    if (time != null) {
      out.put("time", time);
    }
    Expression start = TimeColumns.start(value);
    if (start != null) {
      out.set("start", describe(start));
    }
    Long ahead = FrameEnd.of(value);
    if (ahead != null) {
      out.put("ahead", ahead);
    }
    if (expression instanceof NamedExpression named) {
      out.put("name", named.name()).put("out", CapturedPlan.ref(named));
    } else {
      out.putNull("name").putNull("out");
    }
    out.put("subquery", SubqueryExpression.hasSubquery(expression));
    out.put("fails", Failing.parts(value).stream().anyMatch(Failing::can));
    return out.put("plain", value instanceof Attribute);
  }

  /** A condition, and beside it the parts that must hold, each, where they are several. */
  ObjectNode describeCondition(Expression condition) {
    ObjectNode out = describe(condition);
    if (condition instanceof And) {
      addParts(condition, out.putArray("parts"));
    }
    return out;
  }

  private void addParts(Expression condition, ArrayNode out) {
    if (condition instanceof And both) {
      addParts(both.left(), out);
      addParts(both.right(), out);
    } else {
      out.add(describe(condition));
    }
  }

  ObjectNode describeCall(AggregateExpression call) {
    plan.addAttribute(call.resultAttribute());
    ObjectNode out = Json.object().put("id", plan.add(call));
    out.put("fn", call.aggregateFunction().prettyName()).put("sql", sql(call));
    describeMeaning(call, out);
    out.put("distinct", call.isDistinct());
    out.set("filter", call.filter().isEmpty() ? null : describe(call.filter().get()));
    out.set("args", describeAll(Scala.list(call.aggregateFunction().children())));
    out.set("inputs", describeAll(AggregateInputs.of(call.aggregateFunction())));
    out.put("out", CapturedPlan.ref(call.resultAttribute()));
    out.set("type", Json.parse(call.dataType().json()));
    return out.put("nullable", call.nullable()).put("deterministic", call.deterministic());
  }

  void describeTemporal(List<TemporalFilters.Temporal> filters, ArrayNode out) {
    for (TemporalFilters.Temporal filter : filters) {
      ObjectNode item = out.addObject();
      item.set("time", describe(filter.time()));
      item.put("offset", filter.offset()).put("inclusive", filter.inclusive());
      if (filter.made() != null) {
        item.set("made", describe(filter.made()));
      }
      if (filter.begins()) {
        item.put("begins", true);
      }
    }
  }

  private static ArrayNode refs(Expression expression) {
    return Json.strings(
        Scala.list(expression.references().toSeq()).stream().map(CapturedPlan::ref).toList());
  }

  /** The columns in the order in which they stand there: SQL text may not tell two of one name. */
  private static ArrayNode reads(Expression expression) {
    return Json.strings(Scala.list(expression.collectLeaves())
            .stream()
            .filter(Attribute.class ::isInstance)
            .map(leaf -> CapturedPlan.ref((Attribute) leaf))
            .toList());
  }

  /** What equal expressions of several queries and runs have in common. */
  private static void describeMeaning(Expression expression, ObjectNode out) {
    out.put("canon", canon(expression));
    String hidden = HiddenArguments.of(expression);
    if (!hidden.isEmpty()) {
      out.put("hidden", hidden);
    }
  }

  /** The same as one text. */
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
