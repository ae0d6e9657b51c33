// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A column as people call it.
 *
 * @param ref of the column
 * @param label its name
 */
public record LabelledColumn(String ref, String label) implements Serializable {
  private static final long serialVersionUID = 1L;

  public LabelledColumn {
    Checks.present(ref, "ref");
    Checks.present(label, "label");
  }
}
