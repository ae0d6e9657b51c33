package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.StoreUse;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import java.io.Serializable;
import org.apache.spark.SparkEnv;

/**
 * What one task tells the driver of one partition. A task that ran again reports again: the driver
 * keeps one report a part and partition, and each names a state that is whole.
 *
 * @param part the operator's id, or {@code ~tag} for the rows of a source
 * @param commit the state it left; null where there is none
 * @param ownMicros what the operator took by itself, or the reading of a source; see {@link
 *     TaskClock}
 * @param commitMicros what the commit took, of {@code ownMicros}
 * @param executor that ran it
 * @param eventTime the largest time of an event, in microseconds, of a source with a watermark
 * @param nextLevel of a recursion, the lowest level that is still to be settled
 * @param use what its store has done since it told last
 */
public record TaskReport(int part, int partition, CommitRef commit, long rowsIn, long rowsOut,
    long stateReads, long stateWrites, long contradictions, long millis, long ownMicros,
    long commitMicros, String executor, long eventTime, long nextLevel, StoreUse use)
    implements Serializable {
  /** No row had a time. */
  public static final long NO_TIME = Long.MIN_VALUE;

  public static TaskReport ofSource(
      int tag, int partition, long rows, long late, long micros, long eventTime) {
    return new TaskReport(~tag, partition, null, rows, rows - late, 0, 0, 0, 0, micros, 0, here(),
        eventTime, OperatorCounters.NO_LEVEL, StoreUse.NONE);
  }

  /** The executor of this process. */
  public static String here() {
    return SparkEnv.get().executorId();
  }
}
