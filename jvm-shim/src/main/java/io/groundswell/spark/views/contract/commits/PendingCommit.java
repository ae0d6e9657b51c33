// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A commit that is not durable yet.
 *
 * @param partition of the state
 * @param version of the partition
 * @param id which of the attempts at that version
 */
public record PendingCommit(int partition, long version, String id) implements Serializable {
  private static final long serialVersionUID = 1L;

  public PendingCommit {
    Checks.present(id, "id");
  }
}
