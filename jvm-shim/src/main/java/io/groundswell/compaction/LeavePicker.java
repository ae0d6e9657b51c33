package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.Mark;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rewrites what is left in objects of which most is dead, so that they can be deleted. */
final class LeavePicker {
  private LeavePicker() {}

  /** These objects, and those that other stores have, too, which were taken over from them. */
  static Set<String> leaving(Set<String> sparse, Levels levels) {
    Set<String> all = new HashSet<>(sparse);
    levels.files().filter(file -> file.share() != null).forEach(file -> all.add(file.fileName()));
    return all;
  }

  /** A sub-level, or a file of a deeper level, that stands in one of these objects. */
  static Optional<Pick> pick(Levels levels, InFlight inFlight, Set<String> objects) {
    if (objects.isEmpty()) {
      return Optional.empty();
    }
    for (Run run : levels.subLevels()) {
      if (run.files().stream().anyMatch(file -> objects.contains(file.fileName()))) {
        Pick pick = new Pick(Pick.Kind.LEAVE, List.of(new Pick.Part(0, run.files())), 0);
        if (inFlight.allows(pick)) {
          Mark.SPARSE_OBJECT_LEFT.hit();
          return Optional.of(pick);
        }
      }
    }
    for (int n = 1; n <= Levels.DEEPEST; n++) {
      for (SstInfo file : levels.level(n).files()) {
        Pick pick = new Pick(Pick.Kind.LEAVE, List.of(new Pick.Part(n, List.of(file))), n);
        if (objects.contains(file.fileName()) && inFlight.allows(pick)) {
          return Optional.of(pick);
        }
      }
    }
    return Optional.empty();
  }
}
