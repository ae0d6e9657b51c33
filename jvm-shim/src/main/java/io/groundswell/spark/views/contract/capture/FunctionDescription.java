// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * A function that is to take lists of rows.
 *
 * @param call which call of it
 * @param name its name
 * @param kind {@code PythonEvalType} of the call
 * @param command the function as Spark pickled it, base64
 * @param returns the type of a row or value that it gives
 * @param keys how many columns the group's key has
 * @param columns of each list, the columns that it takes
 */
public record FunctionDescription(long call, String name, int kind, String command,
    DataType returns, int keys, List<List<FunctionColumn>> columns) implements Serializable {
  private static final long serialVersionUID = 1L;

  public FunctionDescription {
    Checks.present(name, "name");
    Checks.present(command, "command");
    Checks.present(returns, "returns");
    columns = Checks.list(columns, "columns");
  }
}
