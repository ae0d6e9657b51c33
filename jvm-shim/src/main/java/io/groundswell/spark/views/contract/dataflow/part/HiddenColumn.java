// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A column that the planner made up.
 *
 * @param name its name in plans
 * @param type of its values
 * @param nullable whether it may be null
 */
public record HiddenColumn(String name, DataType type, boolean nullable) implements Serializable {
  private static final long serialVersionUID = 1L;

  public HiddenColumn {
    Checks.present(name, "name");
    Checks.present(type, "type");
  }
}
