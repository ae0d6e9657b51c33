// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * What an operator did in a barrier, summed over its partitions.
 *
 * @param rowsIn rows that it read
 * @param rowsOut rows that it gave
 * @param stateReads reads of its state
 * @param stateWrites writes to its state
 * @param millis time of its tasks
 * @param ownMicros what it took by itself, microseconds
 * @param commitMicros what its commits took of that, microseconds
 * @param contradictions changes that its state says cannot be
 * @param stateRows live rows of its state
 * @param stateBytes bytes of its state in storage
 */
public record OperatorTotals(long rowsIn, long rowsOut, long stateReads, long stateWrites,
    long millis, long ownMicros, long commitMicros, long contradictions, long stateRows,
    long stateBytes) implements Serializable {
  private static final long serialVersionUID = 1L;
}
