// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * Two times that a join keeps together.
 *
 * @param left ref of the left time
 * @param right ref of the right time
 * @param low the least that right minus left may be, in microseconds
 * @param high the most that it may be
 */
public record IntervalDescription(String left, String right, long low, long high)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public IntervalDescription {
    Checks.present(left, "left");
    Checks.present(right, "right");
  }
}
