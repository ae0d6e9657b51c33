package io.groundswell.compaction;

import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.List;
import java.util.Optional;

/**
 * Neighbouring sub-levels become one, with a bound on write amplification.
 *
 * <p>Merging runs whose largest is L out of a total T moves T - L bytes of younger data at the cost
 * of writing T: the write amplification of the merge is T / (T - L). Taking only groups with
 * L &lt; 2/3 T keeps it below 3.
 */
final class IntraPicker {
  /** Past this many times the limit, reads suffer more than the rewrite costs. */
  private static final int FORCED = 2;

  private IntraPicker() {}

  static Optional<Pick> pick(Levels levels, InFlight inFlight, CompactionOptions options) {
    List<Run> all = levels.subLevels();
    int first = 0;
    while (first < all.size() && TierPicker.isFresh(all.get(first))) {
      first++; // the tier picker's
    }
    int limit = options.subLevels();
    int count = all.size() - first;
    if (count < limit || count < 2) {
      return Optional.empty();
    }
    Group best = best(all, first, inFlight, false);
    if (best == null && count >= FORCED * limit) {
      best = best(all, first, inFlight, true);
    }
    return Optional.ofNullable(best).map(group
        -> new Pick(Pick.Kind.INTRA,
            all.subList(group.from, group.to)
                .stream()
                .map(run -> new Pick.Part(0, run.files()))
                .toList(),
            0));
  }

  private record Group(int from, int to, long bytes) {
    boolean betterThan(Group other) {
      int length = to - from;
      int otherLength = other == null ? 0 : other.to - other.from;
      return length > otherLength || length == otherLength && bytes < other.bytes;
    }
  }

  /** The longest group within the rule, of these the cheapest; or the cheapest pair. */
  private static Group best(List<Run> all, int first, InFlight inFlight, boolean pair) {
    Group best = null;
    for (int from = first; from < all.size() - 1; from++) {
      long total = 0;
      long largest = 0;
      for (int to = from + 1; to <= all.size(); to++) {
        Run run = all.get(to - 1);
        if (inFlight.touches(run.files()) || pair && to > from + 2) {
          break;
        }
        total += run.bytes();
        largest = Math.max(largest, run.bytes());
        Group group = new Group(from, to, total);
        if (to - from > 1 && (pair || largest * 3 < total * 2) && group.betterThan(best)) {
          best = group;
        }
      }
    }
    return best;
  }
}
