// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A condition of a time and the barrier's clock: {@code time > clock + offset}.
 *
 * @param time the time
 * @param offset microseconds
 * @param inclusive whether the very time counts, too
 * @param made what is made of the clock; null: it is the clock itself
 * @param begins whether the condition becomes true as time goes by
 */
public record TemporalDescription(ExpressionDescription time, long offset, boolean inclusive,
    ExpressionDescription made, boolean begins) implements Serializable {
  private static final long serialVersionUID = 1L;

  public TemporalDescription {
    Checks.present(time, "time");
  }
}
