package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.planning.ExtractSingleColumnNullAwareAntiJoin$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * {@code key NOT IN (SELECT other ...)}: Catalyst's anti join on {@code key = other OR isnull(key =
 * other)}, which has no equality to keep rows apart by, as an anti join on {@code key = other}, and
 * a filter on what one row says of all others: true for every row if there are none, true for none
 * if one of them is null, and never for a null key.
 */
final class NotInJoins {
  private NotInJoins() {}

  static LogicalPlan rewrite(Join join) {
    var found = ExtractSingleColumnNullAwareAntiJoin$.MODULE$.unapply(join);
    if (found.isEmpty()) {
      return join;
    }
    Expression key = Scala.list(found.get()._1()).get(0);
    Expression other = Scala.list(found.get()._2()).get(0);
    LogicalPlan unequal =
        Algebra.join(join.left(), join.right(), join.joinType(), new EqualTo(key, other));
    if (!key.nullable() && !other.nullable()) {
      return unequal;
    }
    // Both change at most twice in the life of a view, so the filter seldom turns.
    Alias none = Catalyst.alias(Algebra.equal(Algebra.count(), 0), "_none");
    Alias noNull = Catalyst.alias(new EqualTo(Algebra.count(), Algebra.count(other)), "_no_null");
    LogicalPlan row = Algebra.aggregate(List.of(), List.of(none, noNull), join.right());
    Expression passes =
        new Or(none.toAttribute(), new And(new IsNotNull(key), noNull.toAttribute()));
    return Catalyst.project(new ArrayList<>(Scala.list(join.output())),
        new Filter(passes, Algebra.cross(unequal, row)));
  }
}
