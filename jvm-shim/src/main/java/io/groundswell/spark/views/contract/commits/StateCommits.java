// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A state at an epoch.
 *
 * @param folder of the state: the dataflow's root, {@code state}, the state's name
 * @param commits of its partitions
 */
public record StateCommits(String folder, List<CommitRef> commits) implements Serializable {
  private static final long serialVersionUID = 1L;

  public StateCommits {
    Checks.present(folder, "folder");
    commits = Checks.list(commits, "commits");
  }
}
