package io.groundswell.spark.views.capture.describe;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The nodes, expressions and attributes of a captured query, under the ids Python knows. */
public final class CapturedPlan {
  /**
   * One node.
   *
   * @param plan Catalyst's node
   * @param results the expressions a Project or the result projection of an Aggregate computes
   */
  public record Node(LogicalPlan plan, List<NamedExpression> results) {}

  private final List<Node> nodes = new ArrayList<>();
  private final List<Expression> expressions = new ArrayList<>();
  private final Map<String, Attribute> attributes = new HashMap<>();
  private boolean filled;

  public static String ref(NamedExpression expression) {
    return "a" + expression.exprId().id();
  }

  /** Reserves the next id; {@link #set} fills it. */
  public int newNode() {
    nodes.add(null);
    return nodes.size() - 1;
  }

  public void set(int id, LogicalPlan plan, List<NamedExpression> results) {
    nodes.set(id, new Node(plan, results));
    Scala.list(plan.output()).forEach(this::addAttribute);
    results.forEach(result -> addAttribute(result.toAttribute()));
  }

  public String add(Expression expression) {
    expressions.add(expression);
    return "e" + (expressions.size() - 1);
  }

  /** An attribute may be nullable in one place and not in another: nullable wins. */
  public void addAttribute(Attribute attribute) {
    Attribute added = filled ? attribute.withNullability(true) : attribute;
    attributes.merge(ref(attribute), added, (a, b) -> a.nullable() ? a : b);
  }

  /** What {@code visit} adds is null where an outer join above finds no match: hidden keys, too. */
  <T> T nullable(Supplier<T> visit) {
    boolean before = filled;
    filled = true;
    try {
      return visit.get();
    } finally {
      filled = before;
    }
  }

  public Node node(int id) {
    if (id < 0 || id >= nodes.size()) {
      throw new IllegalArgumentException(
          "no node " + id + " in the captured plan; it has " + nodes.size());
    }
    return nodes.get(id);
  }

  public Expression expression(String id) {
    int index = id.matches("e\\d{1,9}") ? Integer.parseInt(id.substring(1)) : -1;
    if (index < 0 || index >= expressions.size()) {
      throw new IllegalArgumentException("no expression \"" + id + "\" in the captured plan");
    }
    return expressions.get(index);
  }

  /** The attribute of a ref, or null if the captured plan has none. */
  public Attribute attribute(String ref) {
    return attributes.get(ref);
  }
}
