// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A parameter of a function.
 *
 * @param name what calls may name it by
 * @param type that arguments are cast to
 */
public record Parameter(String name, DataType type) implements Serializable {
  private static final long serialVersionUID = 1L;

  public Parameter {
    Checks.present(name, "name");
    Checks.present(type, "type");
  }
}
