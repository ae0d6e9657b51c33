// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * An expression that may fail.
 *
 * @param expr its id
 * @param when id of the condition under which it is evaluated; null: always
 * @param text in SQL's words
 */
public record AttemptSpec(String expr, String when, String text) implements Serializable {
  private static final long serialVersionUID = 1L;

  public AttemptSpec {
    Checks.present(expr, "expr");
    Checks.present(text, "text");
  }
}
