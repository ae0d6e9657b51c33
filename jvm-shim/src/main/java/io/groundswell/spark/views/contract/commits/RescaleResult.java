// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What was written.
 *
 * @param commits of the states, by name
 * @param rows entries that were written
 * @param bytes that were written
 */
public record RescaleResult(Map<String, List<CommitRef>> commits, long rows, long bytes)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public RescaleResult {
    commits = Checks.map(commits, "commits");
  }
}
