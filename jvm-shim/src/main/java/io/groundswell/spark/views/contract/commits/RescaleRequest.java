// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * The states that others are to be written from, with another number of partitions.
 *
 * @param origin what the states before stand in: a folder that has {@code state}
 * @param version of the commits that are made; above all that there are
 * @param commits of the states before
 */
public record RescaleRequest(String origin, long version, Map<String, List<CommitRef>> commits)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public RescaleRequest {
    Checks.present(origin, "origin");
    commits = Checks.map(commits, "commits");
  }
}
