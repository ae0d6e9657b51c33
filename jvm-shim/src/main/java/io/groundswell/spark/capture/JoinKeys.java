package io.groundswell.spark.capture;

import io.groundswell.spark.compat.Scala;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.CollationKey$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils;

/**
 * A join's condition taken apart.
 *
 * @param left what must equal the right key of the same position
 * @param residual what else must hold, or null
 */
record JoinKeys(List<Expression> left, List<Expression> right, Expression residual) {
  static JoinKeys of(Join join) {
    var found = ExtractEquiJoinKeys.unapply(join);
    if (found.isEmpty()) {
      return new JoinKeys(List.of(), List.of(), Scala.optional(join.condition()).orElse(null));
    }
    var parts = found.get();
    return new JoinKeys(comparable(Scala.list(parts._2())), comparable(Scala.list(parts._3())),
        Scala.optional(parts._4()).orElse(null));
  }

  /** Keys of which equal ones have equal bytes: strings are equal as their collation says. */
  private static List<Expression> comparable(List<Expression> keys) {
    return keys.stream()
        .map(key
            -> UnsafeRowUtils.isBinaryStable(key.dataType())
                ? key
                : CollationKey$.MODULE$.injectCollationKey(key))
        .toList();
  }
}
