package io.groundswell.compaction;

import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sub-levels as commits left them, each of one epoch, become one that is cut at file bounds. */
final class TierPicker {
  private TierPicker() {}

  /** True if no merge has gone over the sub-level. */
  static boolean isFresh(Run subLevel) {
    return subLevel.minEpoch() == subLevel.maxEpoch();
  }

  /** How many sub-levels were never merged. */
  static long fresh(Levels levels) {
    return levels.subLevels().stream().takeWhile(TierPicker::isFresh).count();
  }

  static Optional<Pick> pick(Levels levels, InFlight inFlight, CompactionOptions options) {
    List<Pick.Part> fresh = new ArrayList<>();
    long bytes = 0;
    for (Run run : levels.subLevels()) {
      if (!isFresh(run) || inFlight.touches(run.files())
          || !fresh.isEmpty() && bytes + run.bytes() > options.maxTaskBytes()) {
        if (!fresh.isEmpty()) {
          break;
        }
        if (!isFresh(run)) {
          return Optional.empty();
        }
        continue;
      }
      fresh.add(new Pick.Part(0, run.files()));
      bytes += run.bytes();
    }
    return fresh.size() >= options.subLevels() ? Optional.of(new Pick(Pick.Kind.TIER, fresh, 0))
                                               : Optional.empty();
  }
}
