package io.groundswell.version;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.Mark;
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
 * @param levels the LSM tree
 * @param tables catalogue, live-key counts and watermarks
 * @param tookOver the version that began with files of others; 0: the store has none of these.
 *     Among files with older epochs newer ones need not stand above: no row is in two of them
 */
public record Version(long number, String id, String baseId, long safeEpoch, Levels levels,
    Catalogue tables, long tookOver) {
  public static final Version EMPTY = emptyAt(0);

  /** Of a store that began with nothing. */
  public Version(
      long number, String id, String baseId, long safeEpoch, Levels levels, Catalogue tables) {
    this(number, id, baseId, safeEpoch, levels, tables, 0);
  }

  /** A version without rows and files, of any number. */
  public static Version emptyAt(long number) {
    return new Version(number, null, null, 0, Levels.EMPTY, Catalogue.EMPTY);
  }

  /** All that have files, newest first: the order of reads. */
  public List<Run> runs() {
    return levels.runs();
  }

  /** Names of the objects that its SSTs are in. */
  public Set<String> files() {
    return levels.files().map(SstInfo::fileName).collect(Collectors.toSet());
  }

  public int fileCount() {
    return (int) levels.files().count();
  }

  /**
   * Files of which no row can be seen: all of their tables are dropped, or have watermarks above
   * their largest user keys. No file is read for that.
   */
  public static List<SstInfo> deadFiles(Levels levels, Catalogue tables) {
    List<SstInfo> dead = levels.files().filter(file -> isDead(file, tables)).toList();
    Mark.COMMIT_DROPS_DEAD_FILE.hitIf(!dead.isEmpty());
    return dead;
  }

  private static boolean isDead(SstInfo file, Catalogue tables) {
    return file.keyBounds().stream().allMatch(bound
        -> tables.byId(bound.table()) == null
            || bound.upper() != null
                && tables.watermark(bound.table()).hides(bound.upper(), 0, bound.upper().length));
  }
}
