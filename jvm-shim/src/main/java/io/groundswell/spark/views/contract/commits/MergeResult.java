// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * What was merged.
 *
 * @param done the merges
 * @param failed of partitions that could not be merged, the first error; null: none failed
 */
public record MergeResult(List<MergeDone> done, String failed) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MergeResult {
    done = Checks.list(done, "done");
  }
}
