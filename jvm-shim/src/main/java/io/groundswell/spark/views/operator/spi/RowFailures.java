package io.groundswell.spark.views.operator.spi;

import io.groundswell.spark.shims.JsonText;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** What is told of a row that an expression cannot digest. */
public final class RowFailures {
  private static final int LENGTH = 1000;

  /** Begins what Spark adds of the query's text, which is not the same in every run. */
  private static final String CONTEXT = "\n== ";

  private RowFailures() {}

  /** An error in one line, the same for the same row in every run of a query. */
  public static String text(Throwable error) {
    String message = error.getMessage();
    String text = message == null || message.isBlank() ? error.getClass().getName() : message;
    int context = text.indexOf(CONTEXT);
    String line = (context < 0 ? text : text.substring(0, context)).strip().replaceAll("\\s+", " ");
    return clip(line);
  }

  /** The beginning of a text. */
  public static String clip(String text) {
    return text.length() <= LENGTH ? text : text.substring(0, LENGTH) + "...";
  }

  /** An expression that shows some columns of a row as JSON. */
  public static Expression shown(List<String> names, List<Column> columns, int[] positions) {
    List<Expression> values = new ArrayList<>();
    for (int position : positions) {
      Column column = columns.get(position);
      values.add(new BoundReference(position, column.type(), column.nullable()));
    }
    return JsonText.of(names, values);
  }

  /** The value of such an expression; says so if the row has a type without JSON. */
  public static String show(Expression shown, InternalRow row) {
    try {
      return String.valueOf(shown.eval(row));
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      return "(cannot be shown: " + text(e) + ")";
    }
  }
}
