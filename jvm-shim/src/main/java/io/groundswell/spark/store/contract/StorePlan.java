// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.store.contract;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A store of an operator.
 *
 * @param name its name
 * @param ids by old partition, which attempt at the version counts; null where nobody says
 * @param useFamilies whether Spark keeps several tables in it
 * @param families its tables
 */
public record StorePlan(String name, List<String> ids, boolean useFamilies,
    List<FamilyPlan> families) implements Serializable {
  private static final long serialVersionUID = 1L;

  public StorePlan {
    Checks.present(name, "name");
    ids = Checks.listOfNullable(ids, "ids");
    families = Checks.list(families, "families");
  }
}
