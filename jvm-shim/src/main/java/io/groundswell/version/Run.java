package io.groundswell.version;

import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import java.util.List;

/**
 * A sub-level: SSTs in key order that do not overlap, no row in two of them.
 *
 * @param files at least one
 */
public record Run(List<SstInfo> files) {
  public Run {
    files = List.copyOf(files);
  }

  public static Run of(SstInfo file) {
    return new Run(List.of(file));
  }

  public long bytes() {
    return files.stream().mapToLong(SstInfo::length).sum();
  }

  public long entries() {
    return files.stream().mapToLong(SstInfo::entries).sum();
  }

  public long tombstones() {
    return files.stream().mapToLong(SstInfo::tombstones).sum();
  }

  public long minEpoch() {
    return files.stream().mapToLong(SstInfo::minEpoch).min().orElse(0);
  }

  public long maxEpoch() {
    return files.stream().mapToLong(SstInfo::maxEpoch).max().orElse(0);
  }

  /** Number of the only file that may hold the row, or -1. */
  public int fileOf(byte[] stem, int stemLength) {
    int low = 0;
    int high = files.size() - 1;
    while (low < high) { // the first file whose largest row is not below
      int middle = (low + high) >>> 1;
      byte[] largest = files.get(middle).largest();
      if (InternalKey.compareStems(
              largest, largest.length - InternalKey.EPOCH_BYTES, stem, stemLength)
          < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    SstInfo file = files.get(low);
    byte[] smallest = file.smallest();
    byte[] largest = file.largest();
    boolean covers = InternalKey.compareStems(
                         smallest, smallest.length - InternalKey.EPOCH_BYTES, stem, stemLength)
            <= 0
        && InternalKey.compareStems(
               largest, largest.length - InternalKey.EPOCH_BYTES, stem, stemLength)
            >= 0;
    return covers ? low : -1;
  }
}
