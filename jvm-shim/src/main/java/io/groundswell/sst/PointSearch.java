package io.groundswell.sst;

import io.groundswell.iter.Found;
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
  /** Rows of one hash that take more bytes are searched by restart points. */
  static final int LONG_GROUP = 4096;

  private PointSearch() {}

  static int get(Block block, byte[] stem, int stemLength, long epoch, Found out) {
    if (stemLength < HashGroups.PREFIX_BYTES) {
      return Found.ABSENT;
    }
    try {
      if (block.groups == 0) {
        int at = block.restartFor(stem, stemLength, epoch);
        return search(block, at, 0, stem, stemLength, epoch, out);
      }
      if (InternalKey.tableOf(stem) != block.tableId) {
        return Found.ABSENT;
      }
      int hash = Frame.intAt(stem, InternalKey.TABLE_BYTES);
      int group = HashGroups.find(block, hash);
      if (group == block.groups || HashGroups.hash(block, group) != hash) {
        return Found.ABSENT;
      }
      int at = HashGroups.position(block, group);
      if (HashGroups.end(block, group) - at > LONG_GROUP) {
        int restart = block.restartFor(stem, stemLength, epoch);
        if (restart > at) {
          return search(block, restart, 0, stem, stemLength, epoch, out);
        }
      }
      return search(block, at, HashGroups.PREFIX_BYTES, stem, stemLength, epoch, out);
    } catch (IndexOutOfBoundsException e) {
      throw block.beyond();
    }
  }

  /**
   * Searches from a position on.
   *
   * @param known bytes of the stem that the entry there is known to have, though it may share them
   */
  private static int search(
      Block block, int position, int known, byte[] stem, int stemLength, long epoch, Found out) {
    BlockEntry entry = new BlockEntry();
    byte[] bytes = block.bytes;
    int matched = known;
    int at = position;
    boolean first = true;
    while (at < block.entriesEnd) {
      int keyAt = entry.read(block, at);
      int valueAt = keyAt + entry.unshared;
      int shared = entry.shared;
      int from = keyAt;
      if (first) {
        from += known - shared;
        first = false;
      } else if (shared == 0) {
        matched = 0;
      } else if (shared < matched) {
        return Found.ABSENT;
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
            return Found.ABSENT;
          }
        }
      }
      at = valueAt + entry.valueLength;
    }
    return Found.ABSENT;
  }

  private static int found(byte[] bytes, BlockEntry entry, int valueAt, Found out) {
    out.epoch = entry.epoch;
    if (entry.delete) {
      return Found.DELETED;
    }
    out.value = bytes;
    out.offset = valueAt;
    out.length = entry.valueLength;
    return Found.FOUND;
  }
}
