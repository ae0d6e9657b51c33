package io.groundswell.version;

import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An immutable picture of a store after one commit.
 *
 * @param number 0 is the empty store; a commit on top of n makes n + 1, and is epoch n + 1
 * @param id tells attempts at this version apart; null for version 0
 * @param baseId the id of the version below; null if that is version 0
 * @param safeEpoch reads as of an earlier epoch than this may miss what merges have dropped
 * @param runs sub-levels, newest first
 * @param tables catalogue and live-key counts
 */
public record Version(
    long number, String id, String baseId, long safeEpoch, List<Run> runs, Catalogue tables) {
  public static final Version EMPTY = new Version(0, null, null, 0, List.of(), Catalogue.EMPTY);

  public Version {
    runs = List.copyOf(runs);
  }

  /** Names of the objects that its SSTs are in. */
  public Set<String> files() {
    return runs.stream()
        .flatMap(run -> run.files().stream())
        .map(SstInfo::fileName)
        .collect(Collectors.toSet());
  }

  public int fileCount() {
    return runs.stream().mapToInt(run -> run.files().size()).sum();
  }

  /** Where {@code inputs} stand in {@code runs}, one after the other; -1 if they do not. */
  public static int indexOf(List<Run> runs, List<Run> inputs) {
    return Collections.indexOfSubList(runs, inputs);
  }

  /** The runs with {@code inputs} replaced by their merge (null: nothing was left of them). */
  public static List<Run> replace(List<Run> runs, List<Run> inputs, Run merged) {
    int from = indexOf(runs, inputs);
    if (from < 0) {
      throw new IllegalArgumentException("these runs do not hold the inputs of that merge");
    }
    List<Run> result = new ArrayList<>(runs.subList(0, from));
    if (merged != null) {
      result.add(merged);
    }
    result.addAll(runs.subList(from + inputs.size(), runs.size()));
    return result;
  }

  /** The runs without files that hold rows of dropped tables only. */
  public static List<Run> dropDeadFiles(List<Run> runs, Catalogue tables) {
    List<Run> result = new ArrayList<>();
    for (Run run : runs) {
      List<SstInfo> live = run.files().stream().filter(file -> isLive(file, tables)).toList();
      if (live.size() == run.files().size()) {
        result.add(run);
      } else if (!live.isEmpty()) {
        result.add(new Run(live));
      }
    }
    return result;
  }

  private static boolean isLive(SstInfo file, Catalogue tables) {
    int last = InternalKey.tableOf(file.largest());
    for (int id = InternalKey.tableOf(file.smallest()); id <= last; id++) {
      if (tables.byId(id) != null) {
        return true;
      }
    }
    return false;
  }
}
