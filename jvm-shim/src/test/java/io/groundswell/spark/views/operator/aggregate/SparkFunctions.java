package io.groundswell.spark.views.operator.aggregate;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.InterpretedMutableProjection;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own aggregate functions, fed row by row: what ours are compared with. */
public final class SparkFunctions {
  private final AttributeReference argument;
  private final DeclarativeAggregate function;
  private final InterpretedMutableProjection initial;
  private final InterpretedMutableProjection update;
  private final InterpretedMutableProjection result;

  /** {@code name} as in SQL, with {@code try_} before it, or {@code legacy_} for non-ANSI. */
  public SparkFunctions(String name, DataType type) {
    this.argument = DataTypeUtils.toAttributes(new StructType().add("x", type)).head();
    scala.Enumeration.Value mode = name.startsWith("try_") ? EvalMode.TRY()
        : name.startsWith("legacy_")                       ? EvalMode.LEGACY()
                                                           : EvalMode.ANSI();
    this.function = switch (name.substring(name.indexOf('_') + 1)) {
      case "count" -> new Count(seq(List.of((Expression) argument)));
      case "sum" -> new Sum(argument, new NumericEvalContext(mode, true));
      case "avg" -> new Average(argument, mode);
      case "min" -> new Min(argument);
      case "max" -> new Max(argument);
      default -> throw new IllegalArgumentException(name);
    };
    List<Attribute> attributes =
        new ArrayList<>(CollectionConverters.asJava(function.aggBufferAttributes()));
    this.initial =
        new InterpretedMutableProjection(function.initialValues(), seq(List.<Attribute>of()));
    this.result = new InterpretedMutableProjection(
        seq(List.of(function.evaluateExpression())), seq(attributes));
    attributes.add(argument);
    this.update = new InterpretedMutableProjection(function.updateExpressions(), seq(attributes));
  }

  public AggregateFunction function() {
    return function;
  }

  public DataType type() {
    return function.dataType();
  }

  /** The function's value over these arguments, as rows hold them. */
  public Object over(List<Object> values) {
    InternalRow state = initial.apply(InternalRow.empty()).copy();
    for (Object value : values) {
      InternalRow row = new GenericInternalRow(new Object[] {value});
      state = update.apply(new JoinedRow(state, row)).copy();
    }
    return result.apply(state).get(0, type());
  }

  private static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }
}
