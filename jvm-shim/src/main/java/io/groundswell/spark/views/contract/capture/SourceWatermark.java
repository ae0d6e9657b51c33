// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A watermark that the user gave a stream.
 *
 * @param column name of the column with the time
 * @param delayMillis how much later rows may come
 */
public record SourceWatermark(String column, long delayMillis) implements Serializable {
  private static final long serialVersionUID = 1L;

  public SourceWatermark {
    Checks.present(column, "column");
  }
}
