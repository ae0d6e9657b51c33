package io.groundswell.sst;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Where the rows of each partition hash start in a cached block of a {@code HASHED} table: a
 * directory of longs, hash above and position of the hash's first entry below, ascending, in front
 * of the content in the same array. Made when the block is loaded, not stored.
 *
 * <p>A point read of a large state costs what it misses in the processor's caches. Partition hashes
 * are spread evenly, so the place of one among them can be guessed: a read touches a line or two
 * here and goes straight to its entry, where a search by restart points would touch lines for
 * each step and each entry it passes.
 */
final class HashGroups {
  /** Table id and hash: what a group's stems have in common. */
  static final int PREFIX_BYTES = 6;

  static final int BYTES = 8;

  /** A guess that is further off is no good: the rest is searched by halves. */
  private static final int MAX_WALK = 16;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private HashGroups() {}

  /**
   * Reads through a block's entries: hash above, position below. Raises CORRUPTION or
   * IndexOutOfBoundsException if the block is damaged.
   */
  static long[] scan(Block block) {
    BlockEntry entry = new BlockEntry();
    long[] groups = new long[64];
    int size = 0;
    long prefix = -1;
    for (int at = block.firstEntry; at < block.entriesEnd;) {
      int keyAt = entry.read(block.bytes, at, block.entriesEnd, block.baseEpoch);
      if (entry.shared < PREFIX_BYTES) {
        long next = prefixOf(block, entry, keyAt, prefix);
        if (next != prefix) {
          if (size > 0 && (next < prefix || next >>> 32 != prefix >>> 32)) {
            throw block.corrupt("its entries are not of one table and in order");
          }
          if (size == groups.length) {
            groups = Arrays.copyOf(groups, 2 * size);
          }
          groups[size++] = next << 32 | at;
          prefix = next;
        }
      }
      at = keyAt + entry.unshared + entry.valueLength;
    }
    return Arrays.copyOf(groups, size);
  }

  private static long prefixOf(Block block, BlockEntry entry, int keyAt, long before) {
    if (entry.shared + entry.unshared < PREFIX_BYTES) {
      throw block.corrupt("a key is too short");
    }
    long prefix = before;
    for (int i = entry.shared; i < PREFIX_BYTES; i++) {
      int shift = 8 * (PREFIX_BYTES - 1 - i);
      prefix &= ~(0xFFL << shift);
      prefix |= (block.bytes[keyAt + i - entry.shared] & 0xFFL) << shift;
    }
    return prefix & 0xFFFF_FFFFFFFFL;
  }

  /** A new array: the directory, whose positions are those in {@code bytes}, then the content. */
  static byte[] inFront(long[] groups, int size, byte[] bytes, int offset, int length) {
    int front = BYTES * size;
    byte[] combined = new byte[front + length];
    for (int i = 0; i < size; i++) {
      LONG.set(combined, BYTES * i, groups[i] + front - offset);
    }
    System.arraycopy(bytes, offset, combined, front, length);
    return combined;
  }

  /** A group's hash above, its position below. */
  static long at(byte[] bytes, int group) {
    return (long) LONG.get(bytes, BYTES * group);
  }

  static int hash(byte[] bytes, int group) {
    return (int) (at(bytes, group) >>> 32);
  }

  static int position(byte[] bytes, int group) {
    return (int) at(bytes, group);
  }

  /** Writes the bytes that all stems of the group start with. */
  static void putPrefix(Block block, int group, byte[] key) {
    key[0] = (byte) (block.tableId >>> 8);
    key[1] = (byte) block.tableId;
    System.arraycopy(block.bytes, BYTES * group, key, 2, 4);
  }

  /** The first group whose hash is, unsigned, not smaller; their number if there is none. */
  static int find(byte[] bytes, int size, long firstHash, double groupsPerHash, int hash) {
    int low = 0; // all before low are smaller
    int high = size; // high and all behind are not
    int guess = guess(size, firstHash, groupsPerHash, hash);
    if (smaller(bytes, guess, hash)) {
      low = guess + 1;
      for (int end = Math.min(high, low + MAX_WALK); low < end; low++) {
        if (!smaller(bytes, low, hash)) {
          return low;
        }
      }
    } else {
      high = guess;
      for (int end = Math.max(0, high - MAX_WALK); high > end; high--) {
        if (smaller(bytes, high - 1, hash)) {
          return high;
        }
      }
    }
    while (low < high) {
      int middle = low + high >>> 1;
      if (smaller(bytes, middle, hash)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean smaller(byte[] bytes, int group, int hash) {
    return (long) LONG.get(bytes, BYTES * group) >>> 32 < (hash & 0xFFFF_FFFFL);
  }

  private static int guess(int size, long firstHash, double groupsPerHash, int hash) {
    long distance = (hash & 0xFFFF_FFFFL) - firstHash;
    if (distance <= 0) {
      return 0;
    }
    int guess = (int) (distance * groupsPerHash);
    return Math.min(guess, size - 1);
  }
}
