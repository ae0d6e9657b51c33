package io.groundswell.version;

import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * A sub-level or a level: SSTs in key order that do not overlap, no row in two of them.
 *
 * @param files none in a level that has nothing
 */
public record Run(List<SstInfo> files) {
  public static final Run NONE = new Run(List.of());
  private static final Comparator<SstInfo> BY_KEY = (a, b)
      -> InternalKey.compare(a.smallest(), a.smallest().length, b.smallest(), b.smallest().length);

  public Run {
    files = List.copyOf(files);
  }

  public static Run of(SstInfo file) {
    return new Run(List.of(file));
  }

  public boolean isEmpty() {
    return files.isEmpty();
  }

  /** Whether no file of it is another store's. */
  boolean isOwn() {
    return files.stream().allMatch(file -> file.share() == null);
  }

  Run without(Set<SstInfo> gone) {
    List<SstInfo> left = files.stream().filter(file -> !gone.contains(file)).toList();
    return left.size() == files.size() ? this : new Run(left);
  }

  /** With more files, which lie between those that it has. */
  Run with(Collection<SstInfo> more) {
    List<SstInfo> all = new ArrayList<>(files);
    all.addAll(more);
    all.sort(BY_KEY);
    return new Run(all);
  }

  public long bytes() {
    return files.stream().mapToLong(SstInfo::ownBytes).sum();
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
    if (files.isEmpty()) {
      return -1;
    }
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
