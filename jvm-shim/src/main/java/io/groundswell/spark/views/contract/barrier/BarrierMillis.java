// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * How long the parts of a barrier took, in milliseconds.
 *
 * @param build making the Spark job
 * @param job running the Spark job
 */
public record BarrierMillis(long build, long job) implements Serializable {
  private static final long serialVersionUID = 1L;
}
