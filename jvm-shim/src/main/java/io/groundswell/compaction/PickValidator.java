package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Refuses what would break the order of runs: asked when a task is picked and again when a commit,
 * maybe much later, takes its result in. docs/internals/sub-levels.md shows that these rules are
 * enough.
 */
final class PickValidator {
  private PickValidator() {}

  /** The rule that a pick breaks, in words; null if none. */
  static String violation(Levels levels, Pick pick) {
    if (pick.inputs().isEmpty() || pick.target() < 0 || pick.target() > Levels.DEEPEST) {
      return "no inputs, or no level " + pick.target();
    }
    List<Run> places = places(levels);
    List<Integer> at = new ArrayList<>();
    for (Pick.Part part : pick.inputs()) {
      int place = place(levels, places, part);
      if (place < 0) {
        return "an input is not where it was: " + part;
      }
      if (!at.isEmpty() && place <= at.get(at.size() - 1)) {
        return "inputs are not newest first";
      }
      at.add(place);
    }
    return pick.target() == 0 ? neighbours(levels, pick, at) : order(levels, places, pick, at);
  }

  /** True if no other file from the result's place on has rows of the inputs' span. */
  static boolean nothingBelow(Levels levels, Pick pick) {
    List<Run> places = places(levels);
    Set<SstInfo> inputs = new HashSet<>(pick.files());
    KeySpan span = KeySpan.hull(inputs);
    int from = pick.target() == 0 ? place(levels, places, pick.inputs().get(0))
                                  : target(levels, pick.target());
    return places.subList(from, places.size())
        .stream()
        .flatMap(run -> run.files().stream())
        .noneMatch(file -> span.overlaps(file) && !inputs.contains(file));
  }

  /** Sub-levels, newest first, then all levels, also empty ones. */
  private static List<Run> places(Levels levels) {
    List<Run> places = new ArrayList<>(levels.subLevels());
    places.addAll(levels.lower());
    return places;
  }

  private static int target(Levels levels, int level) {
    return levels.subLevels().size() + level - 1;
  }

  private static int place(Levels levels, List<Run> places, Pick.Part part) {
    int from = part.level() == 0 ? 0 : target(levels, part.level());
    int to = part.level() == 0 ? levels.subLevels().size() : from + 1;
    for (int place = from; place < to; place++) {
      if (places.get(place).files().containsAll(part.files())) {
        return place;
      }
    }
    return -1;
  }

  private static String neighbours(Levels levels, Pick pick, List<Integer> at) {
    for (int i = 0; i < at.size(); i++) {
      Pick.Part part = pick.inputs().get(i);
      if (part.level() != 0
          || levels.subLevels().get(at.get(i)).files().size() != part.files().size()) {
        return "a merge within level 0 takes whole sub-levels: " + part;
      }
      if (at.get(i) != at.get(0) + i) {
        return "a gap between the picked sub-levels";
      }
    }
    return null;
  }

  private static String order(Levels levels, List<Run> places, Pick pick, List<Integer> at) {
    int target = target(levels, pick.target());
    Set<SstInfo> inputs = new HashSet<>(pick.files());
    for (int i = 0; i < at.size(); i++) {
      if (at.get(i) > target) {
        return "an input lies below the target, level " + pick.target();
      }
      for (SstInfo file : pick.inputs().get(i).files()) {
        KeySpan span = KeySpan.of(file);
        for (int below = at.get(i) + 1; below <= target; below++) {
          for (SstInfo other : places.get(below).files()) {
            if (span.overlaps(other) && !inputs.contains(other)) {
              return "newer versions in " + file + " would pass older ones in " + other;
            }
          }
        }
      }
    }
    KeySpan hull = KeySpan.hull(inputs);
    for (SstInfo other : places.get(target).files()) {
      if (hull.overlaps(other) && !inputs.contains(other)) {
        return "the result would overlap " + other + " in level " + pick.target();
      }
    }
    return null;
  }
}
