// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * The commits to be made durable, or to be given up.
 *
 * @param states by name of the state
 */
public record PendingCommits(Map<String, List<PendingCommit>> states) implements Serializable {
  private static final long serialVersionUID = 1L;

  public PendingCommits {
    states = Checks.map(states, "states");
  }
}
