package io.groundswell.spark.views.dataflow.run;

import io.groundswell.spark.views.operator.spi.RowFailures;
import java.util.List;
import org.apache.spark.SparkException;
import org.apache.spark.api.python.PythonException;

/**
 * Why Python could not evaluate a function.
 *
 * @param line that says what was raised
 * @param isOfRows whether it was raised by a function that had rows; else no row is to blame
 */
record PythonFailure(String line, boolean isOfRows) {
  /** Which of Python's errors say that a worker lacks what it needs to have the function. */
  private static final List<String> LACKS = List.of("ModuleNotFoundError: ", "ImportError: ");

  /** Spark reads functions by this class of its own, which notes what it met. */
  private static final String WHILE_READING = "SerializationError: Caused by ";

  private static final String EXITED = "Python worker exited unexpectedly";

  /** What to do about a function that is not there. */
  static final String ADVICE =
      ". Install the module for that interpreter on every executor, set PYSPARK_PYTHON to one "
      + "that has it, or send the module along (spark-submit --py-files, "
      + "spark.sparkContext.addPyFile). Then start again: no row was lost";

  /** What to do about a worker that has died. */
  static final String EXITED_ADVICE =
      ". A function ended it, or the machine did, for want of memory: the executor's log says more";

  /** Null if the error is none of Python's. */
  static PythonFailure of(Exception e) {
    if (e instanceof PythonException) {
      String text = String.valueOf(e.getMessage());
      String line = lastLine(text);
      boolean lacks = LACKS.stream().anyMatch(line::startsWith);
      return new PythonFailure(line, !lacks && !text.contains(WHILE_READING));
    }
    boolean exited = e instanceof SparkException && String.valueOf(e.getMessage()).contains(EXITED);
    return exited ? new PythonFailure(EXITED, false) : null;
  }

  /** How it ends, if no row is to blame. */
  String advice() {
    return line.equals(EXITED) ? EXITED_ADVICE : ADVICE;
  }

  private static String lastLine(String text) {
    int state = text.lastIndexOf("SQLSTATE:");
    String[] lines = (state < 0 ? text : text.substring(0, state)).strip().split("\n");
    return RowFailures.clip(lines[lines.length - 1].strip());
  }
}
