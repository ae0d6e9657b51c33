// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * An expression that may fail, or what rows are kept by, which may be too long for a key.
 *
 * @param expr its id; null: it is a key
 * @param when id of the condition under which it is evaluated, or kept; null: always
 * @param text in SQL's words
 * @param key refs of its columns
 * @param exprs ids of its expressions
 * @param most bytes that they may have together
 * @param ordered whether they are written to sort
 */
public record AttemptSpec(String expr, String when, String text, List<String> key,
    List<String> exprs, long most, boolean ordered) implements Serializable {
  private static final long serialVersionUID = 1L;

  public AttemptSpec {
    Checks.present(text, "text");
    key = Checks.list(key, "key");
    exprs = Checks.list(exprs, "exprs");
  }
}
