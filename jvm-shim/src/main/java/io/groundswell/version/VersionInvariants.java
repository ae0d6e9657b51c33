package io.groundswell.version;

import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What holds of every version, by name. Checked when one is made or read: the cost is a few
 * comparisons a file.
 */
public final class VersionInvariants {
  private VersionInvariants() {}

  /** The first invariant that the version breaks, in words; null if none. */
  public static String violation(Version version) {
    if (!numberIsNatural(version)) {
      return "its number " + version.number() + " is negative";
    }
    if (!runsHaveFiles(version.levels().subLevels())) {
      return "a sub-level without files";
    }
    if (!filesOfARunAreDisjoint(version.runs())) {
      return "files of one sub-level or level overlap";
    }
    if (!newerSubLevelsHaveNewerEpochs(version.levels().subLevels(), version.tookOver())) {
      return "the epochs of a newer sub-level are not above those of an older one";
    }
    if (!epochsAreCommitted(version)) {
      return "an epoch above its number";
    }
    if (!safeEpochIsPast(version)) {
      return "its safe epoch " + version.safeEpoch() + " lies in its future";
    }
    if (!filesStandOnce(version.levels())) {
      return "a file in two places";
    }
    if (!tableIdsAndNamesAreUnique(version.tables())) {
      return "a table id or name is used twice, or an id is not below the next one";
    }
    return null;
  }

  static boolean numberIsNatural(Version version) {
    return version.number() >= 0;
  }

  static boolean runsHaveFiles(List<Run> runs) {
    return runs.stream().noneMatch(run -> run.files().isEmpty());
  }

  /** So that one file at most can hold a row, and a scan of a run reads file after file. */
  static boolean filesOfARunAreDisjoint(List<Run> runs) {
    for (Run run : runs) {
      for (int i = 1; i < run.files().size(); i++) {
        byte[] before = run.files().get(i - 1).largest();
        byte[] after = run.files().get(i).smallest();
        // Of stems, not of internal keys: versions of one row must not be split either.
        if (InternalKey.compareStems(before, before.length - InternalKey.EPOCH_BYTES, after,
                after.length - InternalKey.EPOCH_BYTES)
            >= 0) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * So that the first sub-level that knows a row knows its newest version: merges within level 0
   * take neighbours only. Those of one batch that was spilled share its epoch. Levels 1 and deeper
   * take ranges of keys at different times, so nothing of this kind holds of them as wholes. Nor
   * does it of what was taken over from several stores, no row of which is in two of them.
   */
  static boolean newerSubLevelsHaveNewerEpochs(List<Run> subLevels, long tookOver) {
    for (int i = 1; i < subLevels.size(); i++) {
      if (subLevels.get(i - 1).minEpoch() >= tookOver
          && subLevels.get(i - 1).minEpoch() < subLevels.get(i).maxEpoch()) {
        return false;
      }
    }
    return true;
  }

  static boolean filesStandOnce(Levels levels) {
    Set<SstInfo> seen = new HashSet<>();
    return levels.files().allMatch(seen::add);
  }

  static boolean epochsAreCommitted(Version version) {
    return version.runs().stream().allMatch(run -> run.maxEpoch() <= version.number());
  }

  static boolean safeEpochIsPast(Version version) {
    return version.safeEpoch() >= 0 && version.safeEpoch() <= version.number();
  }

  static boolean tableIdsAndNamesAreUnique(Catalogue tables) {
    Set<String> names = new HashSet<>();
    for (Catalogue.Entry entry : tables.entries()) {
      if (!names.add(entry.spec().name()) || entry.spec().id() >= tables.nextId()) {
        return false;
      }
    }
    return true;
  }
}
