package io.groundswell.spark.shims;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.SortOrder$;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.window.WindowEvaluatorFactory;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own evaluation of window functions over rows that are sorted already. */
public final class WindowFunctions {
  /** Metrics at the end of the constructor: one in Spark 4.2, more later. */
  private static final int METRICS_AT = 4;

  private WindowFunctions() {}

  public static SortOrder order(Expression by, boolean ascending, boolean nullsFirst) {
    return SortOrder$.MODULE$.apply(by,
        ascending ? org.apache.spark.sql.catalyst.expressions.Ascending$.MODULE$
                  : org.apache.spark.sql.catalyst.expressions.Descending$.MODULE$,
        nullsFirst ? org.apache.spark.sql.catalyst.expressions.NullsFirst$.MODULE$
                   : org.apache.spark.sql.catalyst.expressions.NullsLast$.MODULE$,
        Catalyst.nil());
  }

  /**
   * The rows, each followed by its functions' values; to be called in a task.
   *
   * @param functions the window expressions under their names, over {@code columns}
   * @param partition a column; rows with equal values stand together
   * @param rows unsafe rows of {@code columns}
   * @return rows that are reused
   */
  @SuppressWarnings("unchecked")
  public static Iterator<InternalRow> evaluate(List<NamedExpression> functions, Attribute partition,
      List<SortOrder> order, List<Attribute> columns, Iterator<InternalRow> rows) {
    Constructor<?> constructor = WindowEvaluatorFactory.class.getConstructors()[0];
    List<Object> arguments = new ArrayList<>(List.of(
        Scala.seq(functions), Scala.seq(List.of(partition)), Scala.seq(order), Scala.seq(columns)));
    for (int i = METRICS_AT; i < constructor.getParameterCount(); i++) {
      arguments.add(new SQLMetric("sum", 0));
    }
    try {
      var factory = (PartitionEvaluatorFactory<InternalRow, InternalRow>) constructor.newInstance(
          arguments.toArray());
      return CollectionConverters.asJava(factory.createEvaluator().eval(
          0, Scala.seq(List.of(CollectionConverters.asScala(rows)))));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark's WindowEvaluatorFactory cannot be made", e);
    }
  }
}
