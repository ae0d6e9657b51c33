// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * Rows of a state that no one reads, and when they end.
 *
 * @param shown ids of conditions; a row that does not meet each of them is read by no one
 * @param watermark that ends such rows
 */
public record UnreadRowsSpec(List<String> shown, WatermarkSpec watermark) implements Serializable {
  private static final long serialVersionUID = 1L;

  public UnreadRowsSpec {
    shown = Checks.list(shown, "shown");
    Checks.present(watermark, "watermark");
  }
}
