// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A merge that another process has done for one partition of a state.
 *
 * @param partition of the state
 * @param record what was merged, and into what; base64, see docs/format.md
 */
public record MergedPart(int partition, String record) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MergedPart {
    Checks.present(record, "record");
  }
}
