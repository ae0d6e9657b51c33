package io.groundswell.compaction;

import io.groundswell.version.Run;

/**
 * What the picker knows of a sub-level.
 *
 * @param tombstones that a merge with nothing below would drop
 */
public record RunShape(long bytes, long entries, long tombstones) {
  static RunShape of(Run run, long safeEpoch) {
    boolean droppable = run.maxEpoch() <= safeEpoch;
    return new RunShape(run.bytes(), run.entries(), droppable ? run.tombstones() : 0);
  }
}
