// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.commits.CommitRef;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * One barrier that is to be run.
 *
 * @param epoch its number
 * @param base commits of the epoch before, by state; none before the first
 * @param watermarks that hold for it
 * @param durable if not, commits stay in the memory of the application until they are persisted
 * @param after the epoch that this dataflow ran last, if its commits are the base; {@code base}
 *     is empty then
 * @param part of the states that are read as a whole; null: all rows
 * @param merged by state, what other processes have merged for it
 * @param mergedElsewhere whether the tasks leave merges to such processes
 * @param overlaps whether commits may stay in memory until they are written beside later
 *     barriers
 */
public record BarrierRequest(long epoch, Map<String, List<CommitRef>> base, Watermarks watermarks,
    boolean durable, Long after, SnapshotPart part, Map<String, List<MergedPart>> merged,
    boolean mergedElsewhere, boolean overlaps) implements Serializable {
  private static final long serialVersionUID = 1L;

  public BarrierRequest {
    base = Checks.map(base, "base");
    Checks.present(watermarks, "watermarks");
    merged = Checks.map(merged, "merged");
  }
}
