package io.groundswell.spark.views.capture;

import io.groundswell.spark.shims.Scala;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNaN;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Length;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Lower;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.StringPredicate;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.TryEval;
import org.apache.spark.sql.catalyst.expressions.Upper;
import org.apache.spark.sql.types.DataTypes;

/** Which expressions may throw on some row. What is not known to be harmless may. */
public final class Failing {
  private static final Set<Class<?>> TOTAL = Set.of(AttributeReference.class, Literal.class,
      Alias.class, And.class, Or.class, Not.class, IsNull.class, IsNotNull.class, IsNaN.class,
      In.class, InSet.class, Coalesce.class, If.class, CaseWhen.class, GetStructField.class,
      CreateNamedStruct.class, Length.class, Lower.class, Upper.class);

  private Failing() {}

  static boolean can(Expression expression) {
    if (expression instanceof TryEval) {
      return false;
    }
    return !isTotal(expression)
        || Scala.list(expression.children()).stream().anyMatch(Failing::can);
  }

  private static boolean isTotal(Expression expression) {
    if (expression instanceof Cast cast) {
      return cast.evalMode() != EvalMode.ANSI()
          || Cast.canUpCast(cast.child().dataType(), cast.dataType());
    }
    if (expression instanceof Add || expression instanceof Subtract
        || expression instanceof Multiply) {
      return expression.dataType().equals(DataTypes.DoubleType)
          || expression.dataType().equals(DataTypes.FloatType);
    }
    return TOTAL.contains(expression.getClass()) || expression instanceof BinaryComparison
        || expression instanceof StringPredicate;
  }

  /** What of an expression is evaluated for a row: of a generator, its arguments. */
  public static List<Expression> parts(Expression expression) {
    Expression value = expression instanceof Alias alias ? alias.child() : expression;
    return value instanceof Generator ? Scala.list(value.children()) : List.of(value);
  }
}
