// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * Merges that are to be done for the process that writes the states.
 *
 * @param root what the states stand in
 * @param parts the partitions
 */
public record MergeRequest(String root, List<MergeWork> parts) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MergeRequest {
    Checks.present(root, "root");
    parts = Checks.list(parts, "parts");
  }
}
