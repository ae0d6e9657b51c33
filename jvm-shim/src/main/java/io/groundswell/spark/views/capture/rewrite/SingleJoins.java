package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * A correlated subquery that is used as a value, Catalyst's left single join: as a left outer join
 * with one row for each key, which says how many rows it stands for. Several are an error where a
 * row of the left side meets them, not where they are.
 */
final class SingleJoins {
  private SingleJoins() {}

  /**
   * The same rows of a left single join; one by more than equalities stays, as one of values
   * without an order.
   */
  static LogicalPlan rewrite(Join join) {
    JoinKeys keys = JoinKeys.of(join);
    List<Attribute> right = Scala.list(join.right().output());
    if (keys.left().isEmpty() || keys.residual() != null
        || !right.stream().allMatch(column -> RowOrdering.isOrderable(column.dataType()))) {
      return join;
    }
    List<NamedExpression> given = new ArrayList<>();
    Expression equal = null;
    for (int i = 0; i < keys.left().size(); i++) {
      Alias key = Catalyst.alias(keys.right().get(i), "_key");
      given.add(key);
      Expression same = new EqualTo(keys.left().get(i), key.toAttribute());
      equal = equal == null ? same : Algebra.and(equal, same);
    }
    Alias rows = Catalyst.alias(Algebra.count(), "_rows");
    given.add(rows);
    List<NamedExpression> list = new ArrayList<>(Scala.list(join.left().output()));
    for (Attribute column : right) {
      Alias value = Catalyst.alias(Algebra.max(column), column.name());
      given.add(value);
      Expression only = SubqueryJoins.only(rows.toAttribute(), value.toAttribute());
      list.add(Catalyst.alias(only, column.name(), column.exprId()));
    }
    LogicalPlan groups =
        ComparableKeys.rewrite(Algebra.aggregate(keys.right(), given, join.right()));
    return Catalyst.project(list, Algebra.join(join.left(), groups, LeftOuter$.MODULE$, equal));
  }
}
