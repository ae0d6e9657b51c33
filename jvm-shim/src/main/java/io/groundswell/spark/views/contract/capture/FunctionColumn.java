// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A column that a function takes.
 *
 * @param at its position in the list of rows
 * @param name its name; of a keyword {@code =} and the keyword
 */
public record FunctionColumn(int at, String name) implements Serializable {
  private static final long serialVersionUID = 1L;

  public FunctionColumn {
    Checks.present(name, "name");
  }
}
