// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * What a barrier saw of a source's event time.
 *
 * @param late rows behind the watermark
 * @param max the largest time, microseconds; null: it brought none
 */
public record EventTimes(long late, Long max) implements Serializable {
  private static final long serialVersionUID = 1L;
}
