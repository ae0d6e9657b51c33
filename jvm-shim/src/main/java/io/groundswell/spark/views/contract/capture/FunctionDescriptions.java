// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * All that is to be wrapped.
 *
 * @param functions in the order in which they stand
 */
public record FunctionDescriptions(List<FunctionDescription> functions) implements Serializable {
  private static final long serialVersionUID = 1L;

  public FunctionDescriptions {
    functions = Checks.list(functions, "functions");
  }
}
