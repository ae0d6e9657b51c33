// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What views would do for a query.
 *
 * @param used names of those that it would read, with their pipelines
 * @param reasons by name of another one over the same tables, why it would not
 */
public record RewriteUses(List<String> used, Map<String, String> reasons) implements Serializable {
  private static final long serialVersionUID = 1L;

  public RewriteUses {
    used = Checks.list(used, "used");
    reasons = Checks.map(reasons, "reasons");
  }
}
