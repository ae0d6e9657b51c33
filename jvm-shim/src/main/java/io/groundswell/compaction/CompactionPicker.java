package io.groundswell.compaction;

import java.util.List;
import java.util.Optional;

/**
 * Decides which neighbouring sub-levels to merge: tiered, with a bound on write amplification.
 * Pure: no I/O, no clock.
 *
 * <p>Merging runs whose largest is L out of a total T moves T - L bytes of younger data at the cost
 * of writing T: the write amplification of the merge is T / (T - L). Taking only groups with
 * L &lt; 2/3 T keeps it below 3. Where the oldest run is among them, this is the full merge, which
 * is due as soon as the younger runs together reach half the oldest: that also bounds dead
 * versions.
 */
public final class CompactionPicker {
  /** Past this many times the limit, reads suffer more than the rewrite costs. */
  private static final int FORCED = 2;

  /** Half of a single run being tombstones is worth its rewrite. */
  private static final int TOMBSTONE_SHARE = 2;

  /** Neighbours [from, to) of the list that was looked at, newest first. */
  public record Pick(int from, int to, Reason reason) {}

  /** Why a merge was picked. */
  public enum Reason {
    /** Too many sub-levels; the largest group within the write-amplification rule. */
    TIER,
    /** Far too many sub-levels and no group within the rule: the cheapest one. */
    FORCED,
    /** The oldest run, for itself: mostly tombstones, with nothing below. */
    RECLAIM
  }

  private CompactionPicker() {}

  /**
   * Picks at most one merge.
   *
   * @param newestFirst the sub-levels
   * @param maxRuns more than this many must not stay; at least 1
   */
  public static Optional<Pick> pick(List<RunShape> newestFirst, int maxRuns) {
    int count = newestFirst.size();
    if (count >= maxRuns && count > 1) {
      Pick best = null;
      long bestGain = 0;
      for (int from = 0; from < count - 1; from++) {
        long total = newestFirst.get(from).bytes();
        long largest = total;
        for (int to = from + 2; to <= count; to++) {
          long bytes = newestFirst.get(to - 1).bytes();
          total += bytes;
          largest = Math.max(largest, bytes);
          // Runs that disappear first, then the fewest bytes written for them.
          boolean allowed = largest * 3 < total * 2;
          boolean better = best == null || to - from > best.to() - best.from()
              || (to - from == best.to() - best.from() && total < bestGain);
          if (allowed && better) {
            best = new Pick(from, to, Reason.TIER);
            bestGain = total;
          }
        }
      }
      if (best != null) {
        return Optional.of(best);
      }
      if (count >= maxRuns * FORCED) {
        return Optional.of(cheapestPair(newestFirst));
      }
      return Optional.empty();
    }
    return count == 1 || count < maxRuns ? reclaim(newestFirst) : Optional.empty();
  }

  private static Pick cheapestPair(List<RunShape> runs) {
    int best = 0;
    for (int i = 1; i + 1 < runs.size(); i++) {
      if (runs.get(i).bytes() + runs.get(i + 1).bytes()
          < runs.get(best).bytes() + runs.get(best + 1).bytes()) {
        best = i;
      }
    }
    return new Pick(best, best + 2, Reason.FORCED);
  }

  private static Optional<Pick> reclaim(List<RunShape> runs) {
    if (runs.isEmpty()) {
      return Optional.empty();
    }
    int last = runs.size() - 1;
    RunShape oldest = runs.get(last);
    return oldest.tombstones() > 0 && oldest.tombstones() * TOMBSTONE_SHARE >= oldest.entries()
        ? Optional.of(new Pick(last, last + 1, Reason.RECLAIM))
        : Optional.empty();
  }
}
