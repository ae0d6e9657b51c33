package io.groundswell.spark.shims;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.AtLeastNNonNulls;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.TryEval;

/** Evaluates expressions only to see whether they can be, in generated code. */
public final class Attempt {
  private Attempt() {}

  /**
   * True if every expression has a value, or null, for the row; null if one throws.
   *
   * <p>"At least n + 1 of n are not null" is false, but known only after all were evaluated.
   */
  public static Expression digests(List<Expression> expressions) {
    Expression all = new AtLeastNNonNulls(expressions.size() + 1, Scala.seq(expressions));
    return new TryEval(new Not(all));
  }
}
