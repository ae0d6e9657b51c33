package io.groundswell.sst;

import io.groundswell.iter.LookupResult;
import io.groundswell.key.InternalKey;
import java.util.Arrays;

/**
 * Finds the newest version of a row at or below an epoch in a block, without putting keys together:
 * {@code matched} is how many bytes the target has in common with the entry before, which was
 * smaller. An entry that shares more than that with its predecessor is smaller too; one that shares
 * less is greater; only one that shares exactly as much has to be compared, from there on. (A
 * restart point is stored as sharing nothing, so what shares nothing is compared as a whole.)
 */
final class PointSearch {
  /** Rows of one hash that take more bytes, some 30 short ones, are searched by restart points. */
  static final int LONG_GROUP = 512;

  private PointSearch() {}

  /** In a block without a directory. Raises IndexOutOfBoundsException if it is damaged. */
  static int get(Block block, byte[] stem, int stemLength, long epoch, LookupResult out) {
    int at = block.restartFor(stem, stemLength, epoch);
    return search(
        block.bytes, at, block.entriesEnd, block.baseEpoch, 0, stem, stemLength, epoch, out);
  }

  /** In a cached block with a directory. Raises IndexOutOfBoundsException if it is damaged. */
  static int get(SstReader reader, SstIndex index, int i, byte[] bytes, byte[] stem, int stemLength,
      long epoch, LookupResult out) {
    BlockHeads heads = index.heads;
    if (stemLength < HashGroups.PREFIX_BYTES || InternalKey.tableOf(stem) != heads.tableId(i)) {
      return LookupResult.ABSENT;
    }
    int hash = Frame.intAt(stem, InternalKey.TABLE_BYTES);
    int groups = heads.groups(i);
    int group = HashGroups.find(bytes, groups, heads.firstHash(i), heads.groupsPerHash(i), hash);
    if (group == groups) {
      return LookupResult.ABSENT;
    }
    long found = HashGroups.at(bytes, group);
    if ((int) (found >>> 32) != hash) {
      return LookupResult.ABSENT;
    }
    int at = (int) found;
    int end = group + 1 < groups ? HashGroups.position(bytes, group + 1) : heads.entriesEnd(i);
    long baseEpoch = heads.baseEpoch(i);
    if (end - at > LONG_GROUP) {
      int restart = reader.view(index, i, bytes).restartFor(stem, stemLength, epoch);
      if (restart > at) {
        return search(bytes, restart, end, baseEpoch, 0, stem, stemLength, epoch, out);
      }
    }
    return search(bytes, at, end, baseEpoch, HashGroups.PREFIX_BYTES, stem, stemLength, epoch, out);
  }

  /**
   * Searches from a position on.
   *
   * @param known bytes of the stem that the entry there is known to have, though it may share them
   */
  private static int search(byte[] bytes, int position, int end, long baseEpoch, int known,
      byte[] stem, int stemLength, long epoch, LookupResult out) {
    BlockEntry entry = new BlockEntry();
    int matched = known;
    int at = position;
    boolean first = true;
    while (at < end) {
      int keyAt = entry.read(bytes, at, end, baseEpoch);
      int valueAt = keyAt + entry.unshared;
      int shared = entry.shared;
      int from = keyAt;
      if (first) {
        from += known - shared;
        first = false;
      } else if (shared == 0) {
        matched = 0;
      } else if (shared < matched) {
        return LookupResult.ABSENT;
      }
      if (from != keyAt || shared <= matched) {
        int same = Arrays.mismatch(bytes, from, valueAt, stem, matched, stemLength);
        if (same < 0) {
          if (Long.compareUnsigned(entry.epoch, epoch) <= 0) {
            return found(bytes, entry, valueAt, out);
          }
          matched = stemLength;
        } else {
          matched += same;
          boolean entryEnded = from + same == valueAt;
          if (matched == stemLength
              || !entryEnded && (bytes[from + same] & 0xFF) > (stem[matched] & 0xFF)) {
            return LookupResult.ABSENT;
          }
        }
      }
      at = valueAt + entry.valueLength;
    }
    return LookupResult.ABSENT;
  }

  private static int found(byte[] bytes, BlockEntry entry, int valueAt, LookupResult out) {
    out.epoch = entry.epoch;
    if (entry.delete) {
      return LookupResult.DELETED;
    }
    out.value = bytes;
    out.offset = valueAt;
    out.length = entry.valueLength;
    return LookupResult.FOUND;
  }
}
