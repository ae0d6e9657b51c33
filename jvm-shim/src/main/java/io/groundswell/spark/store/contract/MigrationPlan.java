// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.store.contract;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What is to be moved.
 *
 * @param origin state folder of the old checkpoint, {@code .../state}
 * @param target state folder of the new one
 * @param version of all stores, as the newest committed batch left them
 * @param confs pinned by the old checkpoint, provider class included
 * @param operators all of them
 */
public record MigrationPlan(String origin, String target, long version, Map<String, String> confs,
    List<OperatorPlan> operators) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MigrationPlan {
    Checks.present(origin, "origin");
    Checks.present(target, "target");
    confs = Checks.map(confs, "confs");
    operators = Checks.list(operators, "operators");
  }
}
