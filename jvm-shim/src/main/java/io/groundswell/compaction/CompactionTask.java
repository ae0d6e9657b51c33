package io.groundswell.compaction;

import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.util.List;
import java.util.Optional;

/**
 * A merge that was decided on.
 *
 * @param base the version it was picked on
 * @param inputs neighbouring sub-levels of the base, newest first
 * @param bottom whether the oldest sub-level is among them: nothing lies below
 * @param safeEpoch no reader needs an older state from the result
 */
public record CompactionTask(Version base, List<Run> inputs, boolean bottom, long safeEpoch,
    CompactionPicker.Reason reason) {
  /** What should be merged in that version now, if anything. */
  public static Optional<CompactionTask> pick(Version version, int maxRuns, long safeEpoch) {
    List<Run> runs = version.levels().subLevels();
    return CompactionPicker
        .pick(runs.stream().map(run -> RunShape.of(run, safeEpoch)).toList(), maxRuns)
        .map(pick -> of(version, pick, safeEpoch));
  }

  /** The full merge, whatever it costs; nothing to do for an empty version. */
  public static Optional<CompactionTask> full(Version version, long safeEpoch) {
    int count = version.levels().subLevels().size();
    return count == 0
        ? Optional.empty()
        : Optional.of(of(version,
              new CompactionPicker.Pick(0, count, CompactionPicker.Reason.FORCED), safeEpoch));
  }

  private static CompactionTask of(Version version, CompactionPicker.Pick pick, long safeEpoch) {
    return new CompactionTask(version,
        List.copyOf(version.levels().subLevels().subList(pick.from(), pick.to())),
        pick.to() == version.levels().subLevels().size(), safeEpoch, pick.reason());
  }

  /** Reads as of epochs below this may miss what the merge dropped. */
  long resultSafeEpoch() {
    return Math.min(safeEpoch, inputs.stream().mapToLong(Run::maxEpoch).max().orElse(0));
  }
}
