// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * How far the deletes of files that nobody needs have come.
 *
 * @param millis how long the last round took
 * @param partitions that it looked at
 * @param files that it deleted
 * @param behindEpochs how many epochs the round at work is behind; 0: none is at work
 * @param waitMillis how long barriers of this run have waited for rounds
 * @param failure why the last round did not end; null: it did
 */
public record Retirement(long millis, long partitions, long files, long behindEpochs,
    long waitMillis, String failure) implements Serializable {
  private static final long serialVersionUID = 1L;
}
