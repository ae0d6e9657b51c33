package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A range of keys moves from the oldest sub-levels into the base level. Ranges become due one by
 * one, where the sub-levels have a quarter of the base level's bytes: so much space and no more is
 * spent on versions that newer ones hide, and a byte of level 0 costs at most five written ones. A
 * file that nothing is in the way of is left to {@link MovePicker}, which writes nothing.
 */
final class BasePicker {
  /** One byte of level 0 a so many bytes of the base level are due. */
  static final int SHARE = 4;

  private BasePicker() {}

  static Optional<Pick> pick(
      Levels levels, InFlight inFlight, CompactionOptions options, LevelTargets targets) {
    List<Run> subLevels = levels.subLevels();
    int base = targets.base();
    boolean enough = subLevels.size() >= options.subLevels()
        || levels.levelZeroBytes() >= options.smallFileBytes();
    if (!enough) {
      return Optional.empty();
    }
    boolean empty = levels.level(base).isEmpty() && subLevels.size() >= options.subLevels();
    Candidate best = null;
    for (int i = subLevels.size() - 1; i >= 0; i--) {
      for (SstInfo seed : subLevels.get(i).files()) {
        if (!lowest(subLevels, i, seed)) {
          continue;
        }
        for (int top = i; top >= 0; top--) {
          Candidate one = Candidate.of(levels, base, seed, top);
          if (!inFlight.allows(one.pick) || top < i && one.bytes() > options.maxTaskBytes()) {
            break;
          }
          boolean due = one.baseBytes == 0 ? empty || one.upperBytes >= options.smallFileBytes()
                                           : one.upperBytes * SHARE >= one.baseBytes;
          boolean moves = one.pick.files().size() == 1 && MovePicker.isWorthIt(seed, options);
          if (due && !moves && (best == null || one.betterThan(best))) {
            best = one;
          }
        }
      }
    }
    return Optional.ofNullable(best).map(Candidate::pick);
  }

  /** True if no older sub-level has rows of the file's span. */
  static boolean lowest(List<Run> subLevels, int place, SstInfo file) {
    KeySpan span = KeySpan.of(file);
    return subLevels.subList(place + 1, subLevels.size())
        .stream()
        .allMatch(run -> span.within(run.files()).isEmpty());
  }

  private record Candidate(Pick pick, long upperBytes, long baseBytes) {
    /** All that the sub-levels from {@code top} down have in the seed's span, which grows by it. */
    static Candidate of(Levels levels, int base, SstInfo seed, int top) {
      List<Run> from = levels.subLevels().subList(top, levels.subLevels().size());
      List<Pick.Part> parts = List.of(new Pick.Part(0, List.of(seed)));
      KeySpan span = KeySpan.of(seed);
      for (int before = 0, count = 1; count > before;) {
        before = count;
        List<Pick.Part> grown = new ArrayList<>();
        for (Run run : from) {
          grown.add(new Pick.Part(0, span.within(run.files())));
        }
        Pick pick = new Pick(Pick.Kind.BASE, grown, base);
        parts = pick.inputs();
        span = KeySpan.hull(pick.files());
        count = pick.files().size() + 1;
      }
      List<Pick.Part> all = new ArrayList<>(parts);
      List<SstInfo> lower = span.within(levels.level(base).files());
      all.add(new Pick.Part(base, lower));
      Pick pick = new Pick(Pick.Kind.BASE, all, base);
      long lowerBytes = lower.stream().mapToLong(SstInfo::length).sum();
      return new Candidate(pick, pick.bytes() - lowerBytes, lowerBytes);
    }

    long bytes() {
      return upperBytes + baseBytes;
    }

    /** Fewer bytes of the base level for one of level 0; then more sub-levels at once. */
    boolean betterThan(Candidate other) {
      double share = (double) baseBytes / upperBytes;
      double otherShare = (double) other.baseBytes / other.upperBytes;
      return share < otherShare || share == otherShare && upperBytes > other.upperBytes;
    }
  }
}
