// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A part of a query that cannot be incremental, as the analysed plan tells.
 *
 * @param query which of the queries
 * @param what the part
 * @param why the reason
 */
public record Refusal(int query, String what, String why) implements Serializable {
  private static final long serialVersionUID = 1L;

  public Refusal {
    Checks.present(what, "what");
    Checks.present(why, "why");
  }
}
