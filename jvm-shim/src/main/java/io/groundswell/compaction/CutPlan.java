package io.groundswell.compaction;

import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import io.groundswell.version.Levels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where a merge starts its next file. Results are cut where the files of the next level down are,
 * so that a range of keys can go down by itself later; a result in the deepest level keeps the cuts
 * that are there.
 *
 * @param cuts stems, growing: a file may end before each
 * @param fileBytes a file of this size ends before any row
 * @param smallestCutBytes a file below this size goes on over a cut
 */
record CutPlan(List<byte[]> cuts, long fileBytes, long smallestCutBytes) {
  static CutPlan of(Levels levels, Pick pick, CompactionOptions options) {
    int below = pick.target() + 1;
    while (below <= Levels.DEEPEST && levels.level(below).isEmpty()) {
      below++;
    }
    boolean deepest = below > Levels.DEEPEST;
    List<SstInfo> bounds = !deepest ? levels.level(below).files()
        : pick.target() > 0         ? levels.level(pick.target()).files()
                                    : List.of();
    long target = options.targetFileBytes();
    long files = Math.max(1, Math.round((double) pick.bytes() / target));
    long fileBytes = Math.max(1, Math.max(target / 2, pick.bytes() / files));
    return new CutPlan(separators(bounds), fileBytes,
        pick.target() == 0 ? options.smallestCutBytes() : options.smallFileBytes());
  }

  /** Between any two neighbours the shortest stem that is above the one and not above the other. */
  private static List<byte[]> separators(List<SstInfo> files) {
    List<byte[]> cuts = new ArrayList<>();
    for (int i = 1; i < files.size(); i++) {
      byte[] before = files.get(i - 1).largest();
      byte[] after = files.get(i).smallest();
      int stem = after.length - InternalKey.EPOCH_BYTES;
      int common =
          Arrays.mismatch(before, 0, before.length - InternalKey.EPOCH_BYTES, after, 0, stem);
      cuts.add(Arrays.copyOf(after, Math.min(stem, common + 1)));
    }
    return cuts;
  }

  /** The number of the first cut above a row. */
  int after(byte[] key, int length) {
    int low = 0;
    int high = cuts.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isAtOrAbove(key, length, middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  boolean isAtOrAbove(byte[] key, int length, int cut) {
    byte[] stem = cuts.get(cut);
    return InternalKey.compareStems(key, length - InternalKey.EPOCH_BYTES, stem, stem.length) >= 0;
  }

  /**
   * Whether a file of this size ends before a row.
   *
   * @param cut the first one above the file's last row
   */
  boolean endsBefore(byte[] key, int length, int cut, long size) {
    return size >= fileBytes
        || size >= smallestCutBytes && cut < cuts.size() && isAtOrAbove(key, length, cut);
  }
}
