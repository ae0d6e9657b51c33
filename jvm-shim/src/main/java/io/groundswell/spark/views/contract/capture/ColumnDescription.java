// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A column that a node gives.
 *
 * @param ref {@code a} and its number in Catalyst
 * @param name its name
 * @param type of its values
 * @param nullable whether it may be null
 * @param window {@code time} or {@code session} if it is such a window; null: it is none
 */
public record ColumnDescription(String ref, String name, DataType type, boolean nullable,
    String window) implements Serializable {
  private static final long serialVersionUID = 1L;

  public ColumnDescription {
    Checks.present(ref, "ref");
    Checks.present(name, "name");
    Checks.present(type, "type");
  }
}
