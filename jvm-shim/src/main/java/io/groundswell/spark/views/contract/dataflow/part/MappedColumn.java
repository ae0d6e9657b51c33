// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A column under another name, or a value that all rows have.
 *
 * @param to ref of the column that is given
 * @param of ref of the column whose value it is; null: it is {@code literal}
 * @param literal the value; null: null
 */
public record MappedColumn(String to, String of, Long literal) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MappedColumn {
    Checks.present(to, "to");
  }
}
