package io.groundswell.compaction;

import java.util.Optional;

/** A merge to be done; its result is carried if bytes are reserved for it. */
record MergeJob(CompactionTask task, long reserved) {
  /**
   * Small results travel with a commit where that shares its object with others; while too many
   * wait for that, a merge that is not urgent waits for the next commit.
   *
   * @param shared whether the commit does
   */
  static Optional<MergeJob> of(
      CompactionTask task, boolean shared, CarryBudget budget, CompactionOptions options) {
    long bytes = task.pick().bytes();
    if (!shared || bytes > budget.maxMergeBytes()) {
      return Optional.of(new MergeJob(task, 0));
    } else if (budget.reserve(bytes)) {
      return Optional.of(new MergeJob(task, bytes));
    }
    return CompactionPicker.isUrgent(task.base().levels(), options)
        ? Optional.of(new MergeJob(task, 0))
        : Optional.empty();
  }
}
