package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.FastPath;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.List;
import java.util.Optional;

/**
 * Files that can change their level as they are, because nothing on the way has rows of their span.
 * Small ones stay: a level of many small files makes manifests long.
 */
final class MovePicker {
  private MovePicker() {}

  /** Whether a file is large enough to go down as it is. */
  static boolean isWorthIt(SstInfo file, CompactionOptions options) {
    return file.length() >= options.smallFileBytes();
  }

  static Optional<Pick> pick(
      Levels levels, InFlight inFlight, CompactionOptions options, LevelTargets targets) {
    if (!FastPath.MOVED_FILE.isOpen()) {
      return Optional.empty();
    }
    List<Run> subLevels = levels.subLevels();
    int base = targets.base();
    for (int i = subLevels.size() - 1; i >= 0; i--) {
      for (SstInfo file : subLevels.get(i).files()) {
        Pick pick = new Pick(Pick.Kind.MOVE, List.of(new Pick.Part(0, List.of(file))), base);
        if (isWorthIt(file, options) && BasePicker.lowest(subLevels, i, file)
            && KeySpan.of(file).within(levels.level(base).files()).isEmpty()
            && inFlight.allows(pick)) {
          return Optional.of(pick);
        }
      }
    }
    return LevelPicker.pick(levels, inFlight, targets)
        .filter(pick -> pick.kind() == Pick.Kind.MOVE);
  }
}
