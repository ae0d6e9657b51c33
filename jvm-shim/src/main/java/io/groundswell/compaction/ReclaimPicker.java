package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.Mark;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.List;
import java.util.Optional;

/** Where nothing lies below and two fifths are tombstones that may go, the rewrite pays. */
final class ReclaimPicker {
  private static final long PERCENT = 40;

  private ReclaimPicker() {}

  static Optional<Pick> pick(Levels levels, InFlight inFlight, long safeEpoch) {
    for (Run run : levels.subLevels()) {
      long droppable = run.files().stream().mapToLong(file -> droppable(file, safeEpoch)).sum();
      Pick pick = new Pick(Pick.Kind.RECLAIM, List.of(new Pick.Part(0, run.files())), 0);
      if (droppable > 0 && droppable * 100 >= run.entries() * PERCENT && inFlight.allows(pick)
          && PickValidator.nothingBelow(levels, pick)) {
        Mark.TOMBSTONES_RECLAIMED.hit();
        return Optional.of(pick);
      }
    }
    for (int n = 1; n <= Levels.DEEPEST; n++) {
      for (SstInfo file : levels.level(n).files()) {
        long droppable = droppable(file, safeEpoch);
        if (droppable > 0 && droppable * 100 >= file.entries() * PERCENT) {
          Pick pick = new Pick(Pick.Kind.RECLAIM, List.of(new Pick.Part(n, List.of(file))), n);
          if (inFlight.allows(pick) && PickValidator.nothingBelow(levels, pick)) {
            return Optional.of(pick);
          }
        }
      }
    }
    return Optional.empty();
  }

  private static long droppable(SstInfo file, long safeEpoch) {
    return file.maxEpoch() <= safeEpoch ? file.tombstones() : 0;
  }
}
