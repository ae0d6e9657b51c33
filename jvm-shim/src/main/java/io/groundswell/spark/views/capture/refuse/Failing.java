package io.groundswell.spark.views.capture.refuse;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.facts.Facts.CanFail;
import io.groundswell.spark.views.facts.FactsTable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.types.DataTypes;

/** Which expressions may throw on some row. What is not known to be harmless may. */
public final class Failing {
  private Failing() {}

  public static boolean can(Expression expression) {
    CanFail facts = FactsTable.of(expression).canFail();
    return facts != CanFail.CAUGHT
        && (can(expression, facts)
            || Scala.list(expression.children()).stream().anyMatch(Failing::can));
  }

  private static boolean can(Expression expression, CanFail facts) {
    return switch (facts) {
      case NO, CAUGHT -> false;
      case YES -> true;
      case NARROWING -> {
        Cast cast = (Cast) expression;
        yield cast.evalMode() == EvalMode.ANSI()
            && !Cast.canUpCast(cast.child().dataType(), cast.dataType());
      }
      case OVERFLOW ->
        !expression.dataType().equals(DataTypes.DoubleType)
            && !expression.dataType().equals(DataTypes.FloatType);
    };
  }

  /** What of an expression is evaluated for a row: of a generator, its arguments. */
  public static List<Expression> parts(Expression expression) {
    Expression value = expression instanceof Alias alias ? alias.child() : expression;
    return value instanceof Generator ? Scala.list(value.children()) : List.of(value);
  }
}
