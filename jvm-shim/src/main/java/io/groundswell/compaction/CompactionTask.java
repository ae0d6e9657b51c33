package io.groundswell.compaction;

import io.groundswell.version.Version;
import java.util.Optional;

/**
 * A merge that was decided on.
 *
 * @param base the version it was picked on
 * @param pick its inputs and where the result goes
 * @param cuts where files of the result end
 * @param bottom whether nothing lies below in the inputs' span, so that tombstones may go
 * @param safeEpoch no reader needs an older state from the result
 */
record CompactionTask(Version base, Pick pick, CutPlan cuts, boolean bottom, long safeEpoch) {
  static CompactionTask of(Version base, Pick pick, CompactionOptions options, long safeEpoch) {
    return new CompactionTask(base, pick, CutPlan.of(base.levels(), pick, options),
        PickValidator.nothingBelow(base.levels(), pick), safeEpoch);
  }

  /** The full merge, whatever it costs; nothing to do for an empty version. */
  static Optional<CompactionTask> full(Version base, CompactionOptions options, long safeEpoch) {
    return CompactionPicker.full(base.levels()).map(pick -> of(base, pick, options, safeEpoch));
  }

  /** Reads as of epochs below this may miss what the merge dropped. */
  long resultSafeEpoch() {
    long newest = pick.files().stream().mapToLong(file -> file.maxEpoch()).max().orElse(0);
    return Math.min(safeEpoch, newest);
  }
}
