// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * A call of a Python function.
 *
 * @param expr the call
 * @param commands the functions in it as Spark pickled them, base64
 * @param broadcasts by id of a broadcast variable of theirs, the file that its value is in
 */
public record UdfDescription(ExpressionDescription expr, List<String> commands,
    Map<String, String> broadcasts) implements Serializable {
  private static final long serialVersionUID = 1L;

  public UdfDescription {
    Checks.present(expr, "expr");
    commands = Checks.list(commands, "commands");
    broadcasts = Checks.map(broadcasts, "broadcasts");
  }
}
