package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * An Aggregate taken apart: calls that are equal are one, and results refer to grouping columns and
 * call results only.
 *
 * @param grouping columns of {@code child}; grouping by an expression puts a Project below
 * @param calls the aggregate functions
 * @param results what the node gives, over grouping and the calls' result attributes
 */
public record AggregateParts(List<Attribute> grouping, List<AggregateExpression> calls,
    List<NamedExpression> results, LogicalPlan child) {
  public static AggregateParts of(Aggregate aggregate) {
    var parts = PhysicalAggregation$.MODULE$.unapply(aggregate).get();
    List<NamedExpression> grouping = Scala.list(parts._1());
    LogicalPlan child = parts._4();
    if (!grouping.stream().allMatch(Attribute.class ::isInstance)) {
      List<NamedExpression> projected = new ArrayList<>(Scala.list(child.output()));
      grouping.stream().filter(key -> !(key instanceof Attribute)).forEach(projected::add);
      child = Catalyst.project(projected, child);
    }
    return new AggregateParts(grouping.stream().map(NamedExpression::toAttribute).toList(),
        Scala.list(parts._2()), Scala.list(parts._3()), child);
  }
}
