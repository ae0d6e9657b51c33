// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * What the store behind an operator did since it was asked last, summed over partitions.
 *
 * @param lookups point reads in files
 * @param filterNegatives files that a filter spared a read
 * @param filterFalsePositives files that a filter let pass and that had no such row
 * @param compactions finished compactions, those between barriers included
 * @param compactionBytes bytes that these wrote
 */
public record StateUse(long lookups, long filterNegatives, long filterFalsePositives,
    long compactions, long compactionBytes) implements Serializable {
  private static final long serialVersionUID = 1L;
}
