package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Levels;
import java.util.List;
import java.util.Optional;

/** A file of a level that is above its target, with what it overlaps least in the next level. */
final class LevelPicker {
  private LevelPicker() {}

  static Optional<Pick> pick(Levels levels, InFlight inFlight, LevelTargets targets) {
    for (int n = targets.base(); n < Levels.DEEPEST; n++) {
      if (levels.level(n).bytes() > targets.target(n)) {
        Pick best = null;
        double bestShare = 0;
        for (SstInfo file : levels.level(n).files()) {
          List<SstInfo> below = KeySpan.of(file).within(levels.level(n + 1).files());
          Pick pick = new Pick(below.isEmpty() ? Pick.Kind.MOVE : Pick.Kind.LEVEL,
              List.of(new Pick.Part(n, List.of(file)), new Pick.Part(n + 1, below)), n + 1);
          double share = (double) pick.bytes() / file.length();
          if ((best == null || share < bestShare) && inFlight.allows(pick)) {
            best = pick;
            bestShare = share;
          }
        }
        if (best != null) {
          return Optional.of(best);
        }
      }
    }
    return Optional.empty();
  }
}
