package io.groundswell.version;

import io.groundswell.sst.SstInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The LSM tree of one version: sub-levels of level 0, then levels 1 to {@value #DEEPEST}.
 *
 * <p>Order, which reads rest on: of each row, whatever a run holds is newer than what any later one
 * in {@link #runs} holds. docs/internals/sub-levels.md has the argument.
 *
 * @param subLevels of level 0, newest first; each has one file at least, they overlap one another
 * @param lower levels 1, 2, …: one run each, which may be empty
 */
public record Levels(List<Run> subLevels, List<Run> lower) {
  public static final int DEEPEST = 6;
  public static final Levels EMPTY = new Levels(List.of(), List.of());

  public Levels {
    subLevels = List.copyOf(subLevels);
    List<Run> padded = new ArrayList<>(lower);
    while (padded.size() < DEEPEST) {
      padded.add(Run.NONE);
    }
    lower = List.copyOf(padded);
  }

  /** Level {@code n}, 1 to {@value #DEEPEST}. */
  public Run level(int n) {
    return lower.get(n - 1);
  }

  /** All that have files, newest first: the order of reads. */
  public List<Run> runs() {
    return Stream.concat(subLevels.stream(), lower.stream().filter(run -> !run.isEmpty())).toList();
  }

  public Stream<SstInfo> files() {
    return Stream.concat(subLevels.stream(), lower.stream()).flatMap(run -> run.files().stream());
  }

  /**
   * Rows that batches wrote lately: of those that level 0 tells of the smallest; 0 if these are
   * fewer than three, as after a first load.
   */
  public long usualBatch() {
    if (subLevels.isEmpty()
        || subLevels.get(0).maxEpoch() - subLevels.get(subLevels.size() - 1).minEpoch() < 2) {
      return 0;
    }
    return subLevels.stream()
        .mapToLong(run -> run.entries() / (run.maxEpoch() - run.minEpoch() + 1))
        .min()
        .orElse(0);
  }

  public long bytes() {
    return files().mapToLong(SstInfo::ownBytes).sum();
  }

  /** Sub-levels without files of other stores. */
  public long ownSubLevels() {
    return subLevels.stream().filter(Run::isOwn).count();
  }

  public long levelZeroBytes() {
    return subLevels.stream().mapToLong(Run::bytes).sum();
  }

  /** The deepest level that has files; 0 if only sub-levels may have. */
  public int bottom() {
    for (int n = DEEPEST; n > 0; n--) {
      if (!level(n).isEmpty()) {
        return n;
      }
    }
    return 0;
  }

  /** With what a commit wrote on top, newest first. */
  public Levels push(List<Run> newest) {
    List<Run> all = new ArrayList<>(newest);
    all.addAll(subLevels);
    return new Levels(all, lower);
  }

  /** Without these files; sub-levels that have none left are gone. */
  public Levels without(Collection<SstInfo> files) {
    Set<SstInfo> gone = Set.copyOf(files);
    return gone.isEmpty() ? this
                          : new Levels(subLevels.stream()
                                           .map(run -> run.without(gone))
                                           .filter(run -> !run.isEmpty())
                                           .toList(),
                                lower.stream().map(run -> run.without(gone)).toList());
  }

  /** With these files put among those of level {@code n}, 1 to {@value #DEEPEST}. */
  public Levels with(int n, List<SstInfo> files) {
    List<Run> changed = new ArrayList<>(lower);
    changed.set(n - 1, level(n).with(files));
    return new Levels(subLevels, changed);
  }

  /** With neighbouring sub-levels replaced by one, which may be empty. */
  public Levels replaceSubLevels(List<Run> neighbours, Run by) {
    int from = Collections.indexOfSubList(subLevels, neighbours);
    if (from < 0) {
      throw new IllegalArgumentException("these are no neighbouring sub-levels: " + neighbours);
    }
    List<Run> changed = new ArrayList<>(subLevels);
    changed.subList(from, from + neighbours.size()).clear();
    if (!by.isEmpty()) {
      changed.add(from, by);
    }
    return new Levels(changed, lower);
  }

  /** The same tree with files that stand elsewhere. */
  public Levels moved(UnaryOperator<SstInfo> place) {
    return new Levels(subLevels.stream().map(run -> moved(run, place)).toList(),
        lower.stream().map(run -> moved(run, place)).toList());
  }

  private static Run moved(Run run, UnaryOperator<SstInfo> place) {
    return new Run(run.files().stream().map(place).toList());
  }

  /** One line a run, for messages. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Run run : subLevels) {
      text.append("L0 ").append(run.files()).append('\n');
    }
    for (int n = 1; n <= DEEPEST; n++) {
      if (!level(n).isEmpty()) {
        text.append("L").append(n).append(' ').append(level(n).files()).append('\n');
      }
    }
    return text.isEmpty() ? "(empty)" : text.toString();
  }
}
