// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.store.contract;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * A table of a store.
 *
 * @param name its name
 * @param key its key columns
 * @param value its value columns
 * @param encoder how Spark reads its keys: its class's simple name; null for plain keys
 * @param numbers what that encoder asks for: the number of prefix columns, or the ordering ones
 * @param multiple whether a key has a list of values
 * @param distribution key columns that the operator is distributed by: of each the positions on
 *     the way to it, more than one if it stands in a struct
 */
public record FamilyPlan(String name, DataType key, DataType value, String encoder,
    List<Integer> numbers, boolean multiple, List<List<Integer>> distribution)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public FamilyPlan {
    Checks.present(name, "name");
    Checks.present(key, "key");
    Checks.present(value, "value");
    numbers = Checks.list(numbers, "numbers");
    distribution = Checks.list(distribution, "distribution");
  }
}
