package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.expressions.NamedLambdaVariable;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.internal.SQLConf;

/** Puts {@link FromJson} in the place of Spark's {@code from_json}, where it can be. */
public final class Decoding {
  static final String OFF = "spark.groundswell.fastJson=false";
  private static final String SETTING = "spark.groundswell.fastJson";

  private Decoding() {}

  /** The same logical plan. */
  public static LogicalPlan apply(LogicalPlan plan) {
    if (!isOn() || !calls(plan)) {
      return plan;
    }
    return plan.transformUp(
        Scala.rule(node -> node.transformExpressions(rule(node, plan, Map.of()))));
  }

  /** The same physical plan, before code is generated for it. */
  public static SparkPlan apply(SparkPlan plan) {
    return apply(plan, PushedFilters.NONE);
  }

  /**
   * The same physical plan, before code is generated for it.
   *
   * @param filters over the columns of its topmost node
   */
  public static SparkPlan apply(SparkPlan plan, PushedFilters filters) {
    if (!isOn() || !calls(plan)) {
      return plan;
    }
    Map<JsonToStructs, PushedFilters> pushed = FieldsOfCalls.pushed(plan, filters);
    return plan.transformUp(
        Scala.rule(node -> node.transformExpressions(rule(node, plan, pushed))));
  }

  static boolean isOn() {
    return Boolean.parseBoolean(SQLConf.get().getConfString(SETTING, "true"));
  }

  private static boolean calls(QueryPlan<?> plan) {
    return Scala.list(plan.expressions()).stream().anyMatch(Decoding::calls)
        || Scala.list(plan.children()).stream().anyMatch(Decoding::calls);
  }

  private static boolean calls(Expression expression) {
    return expression.exists(Scala.function(part -> part instanceof JsonToStructs));
  }

  /** Each call once in a node decodes all that the node reads of it. */
  private static scala.PartialFunction<Expression, Expression> rule(
      QueryPlan<?> node, QueryPlan<?> plan, Map<JsonToStructs, PushedFilters> pushed) {
    Map<JsonToStructs, Expression> made = new LinkedHashMap<>();
    return Scala.rule(part
        -> part instanceof JsonToStructs call
            ? made.computeIfAbsent(call, key -> decoded(key, node, plan, pushed))
            : part);
  }

  private static Expression decoded(JsonToStructs call, QueryPlan<?> node, QueryPlan<?> plan,
      Map<JsonToStructs, PushedFilters> pushed) {
    Uses uses = uses(call, node, plan);
    return reason(call, uses) == null
        ? new FromJson(call, uses, pushed.getOrDefault(call, PushedFilters.NONE))
        : call;
  }

  /** Why Spark computes a call; null: it does not. */
  private static String reason(JsonToStructs call, Uses uses) {
    // In a lambda one call has many values for one row.
    return call.exists(Scala.function(part -> part instanceof NamedLambdaVariable))
        ? "a call in a lambda function"
        : Coverage.of(call, uses).reason();
  }

  private static Uses uses(JsonToStructs call, QueryPlan<?> node, QueryPlan<?> plan) {
    Uses uses = Uses.NONE;
    for (Expression each : Scala.list(node.expressions())) {
      uses = uses.and(each instanceof Alias alias && alias.child().semanticEquals(call)
              ? ofColumn(alias.toAttribute(), plan)
              : Uses.in(each, call));
    }
    return uses;
  }

  /** How each call of a plan is computed, for people; those in subqueries are Spark's. */
  public static List<String> notes(LogicalPlan plan) {
    List<String> notes = new ArrayList<>();
    note(plan, plan, notes);
    return notes;
  }

  /** Who reads something; the reason is why Spark does, or null. */
  static String told(String what, String reason, String units) {
    return what + ": "
        + (reason == null ? "decoded into rows; Spark's parser reads unusual " + units
                          : "Spark's parser reads all " + units + " (" + reason + ")");
  }

  private static void note(LogicalPlan node, LogicalPlan plan, List<String> notes) {
    String files = DecodedFiles.note(node);
    if (files != null) {
      notes.add(files);
    }
    for (Expression expression : Scala.list(node.expressions())) {
      expression.foreach(Scala.mapping(part -> {
        if (part instanceof JsonToStructs call) {
          String reason = isOn() ? reason(call, uses(call, node, plan)) : OFF;
          notes.add(told("from_json(" + call.child().sql() + ")", reason, "texts"));
        }
        return null;
      }));
    }
    Scala.list(node.children()).forEach(child -> note(child, plan, notes));
  }

  /** What a plan reads of a column that one of its nodes gives. */
  private static Uses ofColumn(Attribute column, QueryPlan<?> plan) {
    List<Expression> read = new ArrayList<>();
    return gives(plan, column) || !collect(plan, column, read) ? Uses.WHOLE : Uses.in(read, column);
  }

  private static boolean gives(QueryPlan<?> plan, Attribute column) {
    return Scala.list(plan.output())
        .stream()
        .anyMatch(each -> each.exprId().equals(column.exprId()));
  }

  /** All expressions over a column; false if a node reads columns that it does not name. */
  private static boolean collect(QueryPlan<?> plan, Attribute column, List<Expression> all) {
    List<? extends QueryPlan<?>> children = Scala.list(plan.children());
    if (children.stream().noneMatch(child -> gives(child, column))) {
      return children.stream().allMatch(child -> collect(child, column, all));
    }
    all.addAll(Scala.list(plan.expressions()));
    boolean named = plan instanceof Project || plan instanceof Filter
        || plan instanceof RepartitionByExpression || plan instanceof ProjectExec
        || plan instanceof FilterExec;
    return named && children.stream().allMatch(child -> collect(child, column, all));
  }
}
