package io.groundswell.sst;

import io.groundswell.cache.CacheEntry;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.Found;
import io.groundswell.storage.ByteReader;
import java.util.Arrays;

/**
 * A data block's content: entries, restart offsets, their number. Immutable; values are handed out as
 * slices of {@code bytes}. Offsets within are positions in that array.
 */
final class Block extends CacheEntry {
  private static final int HEADER_BYTES = 8;

  final byte[] bytes;

  /** Position of the first entry, and behind the last. */
  final int firstEntry;

  final int entriesEnd;

  /** Epochs are stored as distances from this one. */
  final long baseEpoch;

  private final int start;
  private final int restartCount;
  private final String file;
  private final long offset;

  /**
   * Checks what is outside of the entries.
   *
   * @param file and {@code offset} in the section: names the block in errors
   */
  Block(String file, long offset, Frame.Content content) {
    super(content.bytes().length + OBJECT_BYTES);
    this.file = file;
    this.offset = offset;
    bytes = content.bytes();
    start = content.offset();
    int length = content.length();
    if (length < HEADER_BYTES + 8) {
      throw corrupt("has " + length + " bytes of content");
    }
    restartCount = Frame.intAt(bytes, start + length - 4);
    if (restartCount < 1 || restartCount > (length - HEADER_BYTES - 4) / 4) {
      throw corrupt("claims " + restartCount + " restart points in " + length + " bytes");
    }
    firstEntry = start + HEADER_BYTES;
    entriesEnd = start + length - 4 - 4 * restartCount;
    baseEpoch = new ByteReader(file, bytes, start, HEADER_BYTES).u64();
    checkRestarts();
  }

  private void checkRestarts() {
    int before = firstEntry - 1;
    for (int i = 0; i < restartCount; i++) {
      int at = restart(i);
      if (i == 0 && at != firstEntry || at <= before || at >= entriesEnd) {
        throw corrupt("restart point " + i + " is out of place");
      }
      before = at;
    }
  }

  private int restart(int i) {
    return start + Frame.intAt(bytes, entriesEnd + 4 * i);
  }

  EngineException corrupt(String problem) {
    return new EngineException(
        ErrorCode.CORRUPTION, file + ", block at byte " + offset + ": " + problem);
  }

  /** The last restart point whose key is not greater than (stem, epoch); else the first. */
  int restartFor(byte[] stem, int stemLength, long epoch) {
    int low = 1;
    int high = restartCount;
    while (low < high) {
      int middle = low + high >>> 1;
      if (restartNotAfter(restart(middle), stem, stemLength, epoch)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return restart(low - 1);
  }

  private boolean restartNotAfter(int at, byte[] stem, int stemLength, long epoch) {
    BlockEntry entry = new BlockEntry();
    int keyAt = entry.read(this, at);
    int order =
        Arrays.compareUnsigned(bytes, keyAt, keyAt + entry.unshared, stem, 0, stemLength);
    return order < 0 || order == 0 && Long.compareUnsigned(entry.epoch, epoch) >= 0;
  }

  /**
   * Finds the newest version of a row at or below an epoch, without putting keys together: {@code
   * matched} is how many bytes the target has in common with the entry before, which was smaller.
   * An entry that shares more than that with its predecessor is smaller too; one that shares less
   * is greater; only one that shares exactly as much has to be compared, from there on. (A restart
   * point is stored as sharing nothing, so what shares nothing is compared as a whole.)
   */
  int get(byte[] stem, int stemLength, long epoch, Found out) {
    try {
      return search(stem, stemLength, epoch, out);
    } catch (IndexOutOfBoundsException e) {
      throw corrupt("an entry reaches beyond the block");
    }
  }

  private int search(byte[] stem, int stemLength, long epoch, Found out) {
    BlockEntry entry = new BlockEntry();
    int at = restartFor(stem, stemLength, epoch);
    int matched = 0;
    while (at < entriesEnd) {
      int keyAt = entry.read(this, at);
      int shared = entry.shared;
      if (shared == 0) {
        matched = 0;
      } else if (shared < matched) {
        return Found.ABSENT;
      }
      int valueAt = keyAt + entry.unshared;
      if (shared == matched) {
        int same = Arrays.mismatch(bytes, keyAt, valueAt, stem, matched, stemLength);
        if (same < 0) {
          if (Long.compareUnsigned(entry.epoch, epoch) <= 0) {
            return found(entry, valueAt, out);
          }
          matched = stemLength;
        } else {
          matched += same;
          boolean targetEnded = matched == stemLength;
          boolean entryEnded = same == entry.unshared;
          if (targetEnded
              || !entryEnded && (bytes[keyAt + same] & 0xFF) > (stem[matched] & 0xFF)) {
            return Found.ABSENT;
          }
        }
      }
      at = valueAt + entry.valueLength;
    }
    return Found.ABSENT;
  }

  private int found(BlockEntry entry, int valueAt, Found out) {
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
