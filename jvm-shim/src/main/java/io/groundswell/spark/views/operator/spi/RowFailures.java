package io.groundswell.spark.views.operator.spi;

import io.groundswell.key.KeyTooLongException;
import io.groundswell.spark.shims.ExpectationFailed;
import io.groundswell.spark.shims.JsonText;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** What is told of a row that an expression cannot digest. */
public final class RowFailures {
  private static final int LENGTH = 1000;

  /** Begins what Spark adds of the query's text, which is not the same in every run. */
  private static final String CONTEXT = "\n== ";

  /** SQL states: cardinality violation, data exception, raised by the query. */
  private static final List<String> DATA_ERRORS = List.of("21", "22", "P0001");

  private static final String ADVICE =
      ". A restart, or the same statement, meets the same row again, also if a later write has "
      + "corrected it: correct the file that it was read from, ";

  private RowFailures() {}

  /** Whether an error is one of the data, not of the machine or of the program. */
  public static boolean isOfData(Throwable error) {
    return error instanceof KeyTooLongException || error instanceof ExpectationFailed
        || error instanceof ArithmeticException || error instanceof DateTimeException
        || error instanceof NumberFormatException
        || (error instanceof SparkThrowable named && named.getSqlState() != null
            && DATA_ERRORS.stream().anyMatch(named.getSqlState()::startsWith));
  }

  /** What people may do about a row that fails. */
  public static String advice(Throwable error) {
    return ADVICE
        + (error instanceof ExpectationFailed
                ? "or have such rows dropped (ON VIOLATION DROP ROW): docs/expectations.md"
                : "take it in the query (try_divide, try_cast, ...), or set such rows aside with "
                    + "errors=\"divert\", where that can be: docs/failing-rows.md");
  }

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
