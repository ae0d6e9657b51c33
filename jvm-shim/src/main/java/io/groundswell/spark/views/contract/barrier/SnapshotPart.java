// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.commits.CommitRef;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What {@code snapshot} operators take of the states that they read.
 *
 * @param number of the part, from 0
 * @param count in how many parts the rows of a state are taken
 * @param since by state, commits: what changed since is taken, all of it, in place of rows
 */
public record SnapshotPart(int number, int count, Map<String, List<CommitRef>> since)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public SnapshotPart {
    since = Checks.map(since, "since");
  }
}
