// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.store.contract;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.Map;

/**
 * What was moved.
 *
 * @param operators by number
 */
public record MigrationResult(Map<String, MovedOperator> operators) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MigrationResult {
    operators = Checks.map(operators, "operators");
  }
}
