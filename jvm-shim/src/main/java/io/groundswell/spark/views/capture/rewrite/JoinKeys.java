package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Scala;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys;
import org.apache.spark.sql.catalyst.plans.logical.Join;

/**
 * A join's condition taken apart.
 *
 * @param left what must equal the right key of the same position
 * @param residual what else must hold, or null
 */
public record JoinKeys(List<Expression> left, List<Expression> right, Expression residual) {
  public static JoinKeys of(Join join) {
    var found = ExtractEquiJoinKeys.unapply(join);
    if (found.isEmpty()) {
      return new JoinKeys(List.of(), List.of(), Scala.optional(join.condition()).orElse(null));
    }
    var parts = found.get();
    List<Expression> left = Scala.list(parts._2());
    List<Expression> right = Scala.list(parts._3());
    return new JoinKeys(left.stream().map(ComparableKeys::comparable).toList(),
        right.stream().map(ComparableKeys::comparable).toList(),
        Scala.optional(parts._4()).orElse(null));
  }
}
