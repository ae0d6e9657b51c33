package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Deduplicate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * {@code dropDuplicates} by some columns: of the others one row's are kept together. The optimiser
 * would take the first of each column, which are those of one row only where rows have one order.
 */
public final class Deduplicates {
  private Deduplicates() {}

  public static LogicalPlan rewrite(LogicalPlan analyzed) {
    return analyzed.transformUpWithSubqueries(Scala.rule(
        node -> node instanceof Deduplicate deduplicate ? rewritten(deduplicate) : node));
  }

  private static LogicalPlan rewritten(Deduplicate node) {
    List<Attribute> keys = Scala.list(node.keys());
    List<Attribute> others = new ArrayList<>(Scala.list(node.child().output()));
    others.removeIf(column -> keys.stream().anyMatch(key -> key.exprId().equals(column.exprId())));
    if (keys.isEmpty() || others.size() < 2) {
      return node;
    }
    List<Expression> parts = new ArrayList<>();
    for (Attribute column : others) {
      parts.add(Algebra.text(column.name()));
      parts.add(column);
    }
    Alias row = Catalyst.alias(Algebra.first(Algebra.namedStruct(parts)), "_row");
    List<NamedExpression> given = new ArrayList<>(keys);
    given.add(row);
    LogicalPlan groups = Algebra.aggregate(new ArrayList<>(keys), given, node.child());
    List<NamedExpression> list = new ArrayList<>();
    for (Attribute column : Scala.list(node.output())) {
      int at = others.indexOf(column);
      list.add(at < 0 ? column
                      : Catalyst.alias(
                            Catalyst.field(row.toAttribute(), at), column.name(), column.exprId()));
    }
    return Catalyst.project(list, groups);
  }
}
