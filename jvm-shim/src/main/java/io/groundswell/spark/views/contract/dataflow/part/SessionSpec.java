// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * Sessions that merge where they touch.
 *
 * @param own ref of each row's own session
 * @param merged ref of the one that it merges into
 */
public record SessionSpec(String own, String merged) implements Serializable {
  private static final long serialVersionUID = 1L;

  public SessionSpec {
    Checks.present(own, "own");
    Checks.present(merged, "merged");
  }
}
