// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * The value of an expression.
 *
 * @param ref of the column
 * @param expr id of the expression
 * @param when id of the condition without which it is null; null: there is none
 */
public record ComputedColumn(String ref, String expr, String when) implements Serializable {
  private static final long serialVersionUID = 1L;

  public ComputedColumn {
    Checks.present(ref, "ref");
    Checks.present(expr, "expr");
  }
}
