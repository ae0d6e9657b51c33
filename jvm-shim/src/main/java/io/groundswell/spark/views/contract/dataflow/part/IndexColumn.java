// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A column of an index.
 *
 * @param ref what it is called beside the rows that look it up, or what it must equal
 * @param at position in the rows of the index
 */
public record IndexColumn(String ref, int at) implements Serializable {
  private static final long serialVersionUID = 1L;

  public IndexColumn {
    Checks.present(ref, "ref");
  }
}
