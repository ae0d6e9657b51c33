// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * How far a running barrier is.
 *
 * @param epoch its number
 * @param millis since it began
 * @param done partitions that its exchanges have filled so far
 * @param all how many these and its results are; 0: not known, as where Spark exchanges rows
 */
public record BarrierProgress(long epoch, long millis, long done, long all)
    implements Serializable {
  private static final long serialVersionUID = 1L;
}
