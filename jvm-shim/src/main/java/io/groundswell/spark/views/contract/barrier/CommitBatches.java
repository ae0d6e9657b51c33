// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * Commits in memory that are to be made durable, or to be given up.
 *
 * @param barriers the numbers under which they wait
 */
public record CommitBatches(List<Long> barriers) implements Serializable {
  private static final long serialVersionUID = 1L;

  public CommitBatches {
    barriers = Checks.list(barriers, "barriers");
  }
}
