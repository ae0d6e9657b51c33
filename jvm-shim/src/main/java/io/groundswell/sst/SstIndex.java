package io.groundswell.sst;

import io.groundswell.key.InternalKey;
import io.groundswell.storage.ByteReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The separators of an SST's data blocks, parsed: block i has the entries from separator i up to
 * separator i + 1. The first 8 bytes of each stand in an array of longs, which decides nearly all
 * comparisons (they hold table and hash) and stays in the processor's cache.
 */
final class SstIndex {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The epoch of a separator without one: epochs are compared unsigned, as in keys. */
  private static final long NEWEST = -1;

  /** An empty stem, and the length of a frame. */
  static final int LEAST_ENTRY_BYTES = 2;

  /** Smaller indexes are searched by halves at once. */
  private static final int GUESS_FROM = 16;

  /** Of the blocks that are in the cache. */
  final BlockHeads heads;

  private final int size;

  /** First 8 bytes, zero-padded, sign bit flipped so that signed order is unsigned order. */
  private final long[] starts;

  private final byte[] stems;
  private final int[] stemEnds;

  /** The epoch of each separator; the greatest where it has none. Null if none has one. */
  private final long[] epochs;

  /** Where each block starts in the section; one more entry for the end of the last. */
  private final long[] offsets;

  private SstIndex(int size, byte[] stems, int[] stemEnds, long[] epochs, long[] offsets) {
    this.size = size;
    this.stems = stems;
    this.stemEnds = stemEnds;
    this.epochs = epochs;
    this.offsets = offsets;
    this.heads = new BlockHeads(size);
    this.starts = new long[size];
    for (int i = 0; i < size; i++) {
      int start = stemStart(i);
      starts[i] = head(stems, start, stemEnds[i] - start);
    }
  }

  static SstIndex parse(ByteReader in, int blocks) {
    if (blocks > in.remaining()) {
      throw in.corrupt("an index of " + in.remaining() + " bytes for " + blocks + " blocks");
    }
    byte[] stems = new byte[in.remaining()];
    int[] stemEnds = new int[blocks];
    long[] epochs = null;
    long[] offsets = new long[blocks + 1];
    int end = 0;
    for (int i = 0; i < blocks; i++) {
      int tag = in.count(2 * InternalKey.MAX_LENGTH + 1);
      int length = tag >>> 1;
      in.raw(length, stems, end);
      end += length;
      stemEnds[i] = end;
      if ((tag & 1) != 0) {
        if (epochs == null) {
          epochs = new long[blocks];
          Arrays.fill(epochs, NEWEST);
        }
        epochs[i] = in.u64();
      }
      offsets[i + 1] = offsets[i] + in.count(Integer.MAX_VALUE - 8);
    }
    in.expectEnd();
    return new SstIndex(blocks, Arrays.copyOf(stems, end), stemEnds, epochs, offsets);
  }

  int size() {
    return size;
  }

  long offset(int block) {
    return offsets[block];
  }

  int length(int block) {
    return (int) (offsets[block + 1] - offsets[block]);
  }

  long end() {
    return offsets[size];
  }

  /** The first block that starts at that offset or behind it; the number of blocks if none does. */
  int firstFrom(long offset) {
    int found = Arrays.binarySearch(offsets, 0, size, offset);
    return found < 0 ? -found - 1 : found;
  }

  /** Bytes of memory of an index of so many blocks that takes so many bytes in the file, about. */
  static long memoryBytes(int blocks, int stored) {
    return stored + blocks * (8L + 8 + 4) + BlockHeads.memoryBytes(blocks) + 128;
  }

  /**
   * The only block that may have the first entry &gt;= (stem, epoch), unless that starts the next.
   */
  int find(byte[] stem, int length, long epoch) {
    long head = head(stem, 0, length);
    int low = 1; // separator 0 is smaller than any key
    int high = size;
    if (size > GUESS_FROM) {
      // Hashes are spread evenly: look where it should be, then in steps that double.
      int guess = guess(head);
      if (starts[guess] < head) {
        low = guess + 1;
        int at = low;
        for (int step = 1; at < size && starts[at] < head; step <<= 1) {
          low = at + 1;
          at = low + step;
        }
        high = at < size && starts[at] > head ? at : size;
      } else if (starts[guess] > head) {
        high = guess;
        int at = high - 1;
        for (int step = 1; at > 0 && starts[at] > head; step <<= 1) {
          high = at;
          at = high - 1 - step;
        }
        low = at > 0 && starts[at] < head ? at + 1 : 1;
      }
    }
    while (low < high) {
      int middle = low + high >>> 1;
      long other = starts[middle];
      if (other < head || other == head && notAfter(middle, stem, length, epoch)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private int guess(long head) {
    long first = (starts[1] ^ Long.MIN_VALUE) >>> 16;
    long span = ((starts[size - 1] ^ Long.MIN_VALUE) >>> 16) - first;
    long distance = ((head ^ Long.MIN_VALUE) >>> 16) - first;
    if (distance <= 0) {
      return 1;
    }
    return distance >= span ? size - 1 : 1 + (int) ((double) distance / span * (size - 2));
  }

  /** True if the separator is not greater than (stem, epoch). */
  private boolean notAfter(int i, byte[] stem, int length, long epoch) {
    int order = Arrays.compareUnsigned(stems, stemStart(i), stemEnds[i], stem, 0, length);
    return order < 0
        || order == 0 && (epochs == null || Long.compareUnsigned(epochs[i], epoch) >= 0);
  }

  private int stemStart(int i) {
    return i == 0 ? 0 : stemEnds[i - 1];
  }

  private static long head(byte[] bytes, int start, int length) {
    long head = 0;
    if (length >= 8) {
      head = (long) LONG.get(bytes, start);
    } else {
      for (int i = 0; i < length; i++) {
        head |= (bytes[start + i] & 0xFFL) << 56 - 8 * i;
      }
    }
    return head ^ Long.MIN_VALUE;
  }
}
