// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A column to sort by.
 *
 * @param ref of the column
 * @param ascending whether small values come first
 * @param nullsFirst whether nulls do
 */
public record SortColumn(String ref, boolean ascending, boolean nullsFirst)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public SortColumn {
    Checks.present(ref, "ref");
  }
}
