// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * Two times that a join keeps together. Both sides are cut into pieces of time.
 *
 * @param left ref of the left time
 * @param right ref of the right time
 * @param low the least that right minus left may be, in microseconds
 * @param high the most that it may be
 * @param piece how long a piece is, in microseconds
 * @param leftBound what ends left rows; null: nothing does
 * @param rightBound what ends right rows; null: nothing does
 */
public record IntervalSpec(String left, String right, long low, long high, long piece,
    WatermarkSpec leftBound, WatermarkSpec rightBound) implements Serializable {
  private static final long serialVersionUID = 1L;

  public IntervalSpec {
    Checks.present(left, "left");
    Checks.present(right, "right");
  }
}
