package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.Mark;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides what to merge next. Pure: no I/O, no clock. Reads come first, since they pay for each
 * sub-level: fresh ones are tiered, then too many merged ones; then ranges that are due go down.
 * Where fresh ones are due to go down themselves they do not stop on the way.
 */
final class CompactionPicker {
  /** With so many times the limit of merged sub-levels, these come before ranges that are due. */
  private static final int URGENT = 2;

  private CompactionPicker() {}

  /** At most one merge, which obeys the order of runs and can run beside those in flight. */
  static Optional<Pick> pick(
      Levels levels, InFlight inFlight, CompactionOptions options, long safeEpoch) {
    return pick(levels, inFlight, options, safeEpoch, Set.of());
  }

  /** As above; {@code sparse} are objects that had better be left. */
  static Optional<Pick> pick(Levels levels, InFlight inFlight, CompactionOptions options,
      long safeEpoch, Set<String> sparse) {
    if (options.never()) {
      return Optional.empty();
    }
    LevelTargets targets = new LevelTargets(levels, options.levelBaseBytes());
    boolean urgent = isUrgent(levels, options);
    return Stream
        .<java.util.function.Supplier<Optional<Pick>>>of(
            ()
                -> pickFresh(levels, inFlight, options, targets),
            ()
                -> urgent ? IntraPicker.pick(levels, inFlight, options) : Optional.<Pick>empty(),
            ()
                -> BasePicker.pick(levels, inFlight, options, targets),
            ()
                -> IntraPicker.pick(levels, inFlight, options),
            ()
                -> LevelPicker.pick(levels, inFlight, targets),
            ()
                -> ReclaimPicker.pick(levels, inFlight, safeEpoch),
            () -> LeavePicker.pick(levels, inFlight, sparse))
        .map(java.util.function.Supplier::get)
        .flatMap(Optional::stream)
        .filter(pick -> PickValidator.violation(levels, pick) == null)
        .findFirst();
  }

  /** Fresh sub-levels, which become one, or go down with all that is in their way. */
  private static Optional<Pick> pickFresh(
      Levels levels, InFlight inFlight, CompactionOptions options, LevelTargets targets) {
    Optional<Pick> tier = TierPicker.pick(levels, inFlight, options);
    return tier.flatMap(fresh
        -> BasePicker.pick(levels, inFlight, options, targets)
            .filter(down -> down.bytes() <= options.maxDirectBytes())
            .filter(down -> down.files().containsAll(fresh.files()))
            .or(() -> tier));
  }

  /** Whether reads suffer from the number of sub-levels. */
  static boolean isUrgent(Levels levels, CompactionOptions options) {
    return levels.subLevels().size() > URGENT * options.subLevels();
  }

  /** At most one file that can change its level without I/O. */
  static Optional<Pick> pickMove(Levels levels, InFlight inFlight, CompactionOptions options) {
    return options.never()
        ? Optional.empty()
        : MovePicker
              .pick(levels, inFlight, options, new LevelTargets(levels, options.levelBaseBytes()))
              .filter(pick -> PickValidator.violation(levels, pick) == null)
              .map(pick -> {
                Mark.FILE_MOVED_BY_COMMIT.hit();
                return pick;
              });
  }

  /** Everything, into the deepest level that has files; nothing for an empty tree. */
  static Optional<Pick> full(Levels levels) {
    List<Pick.Part> all = new ArrayList<>();
    levels.subLevels().forEach(run -> all.add(new Pick.Part(0, run.files())));
    for (int n = 1; n <= Levels.DEEPEST; n++) {
      all.add(new Pick.Part(n, levels.level(n).files()));
    }
    int target = levels.bottom() == 0 ? Levels.DEEPEST : levels.bottom();
    Pick pick = new Pick(Pick.Kind.FULL, all, target);
    return pick.inputs().isEmpty() ? Optional.empty() : Optional.of(pick);
  }

  /** Bytes that the pickers would have to write until nothing is due, at least. */
  static long pendingBytes(Levels levels, CompactionOptions options) {
    LevelTargets targets = new LevelTargets(levels, options.levelBaseBytes());
    long due = levels.subLevels().size() >= options.subLevels()
        ? levels.subLevels().stream().mapToLong(Run::bytes).sum()
        : 0;
    for (int n = targets.base(); n < Levels.DEEPEST; n++) {
      due += Math.max(0, levels.level(n).bytes() - targets.target(n));
    }
    return due;
  }

  static long entries(Pick pick) {
    return pick.files().stream().mapToLong(SstInfo::entries).sum();
  }
}
