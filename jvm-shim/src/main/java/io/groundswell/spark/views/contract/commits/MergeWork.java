// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A partition of a state whose files may be merged.
 *
 * @param state its name
 * @param partition of it
 * @param version of the partition
 * @param id which of the attempts at that version
 * @param told what its writer was told of already; base64, see docs/format.md
 */
public record MergeWork(String state, int partition, long version, String id, List<String> told)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public MergeWork {
    Checks.present(state, "state");
    Checks.present(id, "id");
    told = Checks.list(told, "told");
  }
}
