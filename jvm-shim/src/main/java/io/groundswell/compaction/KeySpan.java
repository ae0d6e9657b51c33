package io.groundswell.compaction;

import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import java.util.Collection;
import java.util.List;

/**
 * The rows from one to another, both included; epochs do not count.
 *
 * @param first an internal key
 * @param last an internal key, not before the first
 */
record KeySpan(byte[] first, byte[] last) {
  static KeySpan of(SstInfo file) {
    return new KeySpan(file.smallest(), file.largest());
  }

  /** The smallest span that holds all of the files; there must be one. */
  static KeySpan hull(Collection<SstInfo> files) {
    KeySpan hull = null;
    for (SstInfo file : files) {
      hull = hull == null
          ? of(file)
          : new KeySpan(compare(file.smallest(), hull.first) < 0 ? file.smallest() : hull.first,
                compare(file.largest(), hull.last) > 0 ? file.largest() : hull.last);
    }
    return hull;
  }

  boolean overlaps(SstInfo file) {
    return compare(file.smallest(), last) <= 0 && compare(first, file.largest()) <= 0;
  }

  boolean overlaps(KeySpan other) {
    return compare(other.first, last) <= 0 && compare(first, other.last) <= 0;
  }

  /** Those of the files that have rows in the span. */
  List<SstInfo> within(List<SstInfo> files) {
    return files.stream().filter(this::overlaps).toList();
  }

  private static int compare(byte[] a, byte[] b) {
    return InternalKey.compareStems(
        a, a.length - InternalKey.EPOCH_BYTES, b, b.length - InternalKey.EPOCH_BYTES);
  }
}
