// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * An expression that may fail, or columns that may be too long for a key.
 *
 * @param expr its id; null: it is the columns
 * @param when id of the condition under which it is evaluated; null: always
 * @param text in SQL's words
 * @param key refs of the columns
 */
public record AttemptSpec(String expr, String when, String text, List<String> key)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public AttemptSpec {
    Checks.present(text, "text");
    key = Checks.list(key, "key");
  }
}
