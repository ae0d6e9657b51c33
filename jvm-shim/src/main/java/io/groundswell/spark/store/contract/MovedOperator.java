// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.store.contract;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * What was moved of an operator.
 *
 * @param rows how many
 * @param ids by new partition, the commit of each store
 */
public record MovedOperator(long rows, List<List<String>> ids) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MovedOperator {
    ids = Checks.list(ids, "ids");
  }
}
