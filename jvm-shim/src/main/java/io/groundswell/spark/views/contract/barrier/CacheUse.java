// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * What the block caches of all executors did since they were asked last.
 *
 * @param hits blocks found in memory
 * @param misses blocks read from storage
 */
public record CacheUse(long hits, long misses) implements Serializable {
  private static final long serialVersionUID = 1L;
}
