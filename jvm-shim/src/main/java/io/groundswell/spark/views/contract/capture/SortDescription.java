// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * An expression to sort by.
 *
 * @param expr the expression
 * @param ascending whether small values come first
 * @param nullsFirst whether nulls do
 */
public record SortDescription(ExpressionDescription expr, boolean ascending, boolean nullsFirst)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public SortDescription {
    Checks.present(expr, "expr");
  }
}
