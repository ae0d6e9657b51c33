// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.store.contract;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * One stateful operator.
 *
 * @param id its number
 * @param partitions their number before
 * @param newPartitions and after
 * @param schemaFiles of Spark's, oldest first, with every schema that its rows ever had; none
 *     where schemas cannot change
 * @param stores its stores
 */
public record OperatorPlan(long id, int partitions, int newPartitions, List<String> schemaFiles,
    List<StorePlan> stores) implements Serializable {
  private static final long serialVersionUID = 1L;

  public OperatorPlan {
    schemaFiles = Checks.list(schemaFiles, "schemaFiles");
    stores = Checks.list(stores, "stores");
  }
}
