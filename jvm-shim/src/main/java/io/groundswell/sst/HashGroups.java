package io.groundswell.sst;

import java.util.Arrays;

/**
 * Where the rows of each partition hash start in a cached block of a {@code HASHED} table. Made when
 * the block is loaded, not stored. Partition hashes are spread evenly, so the place of one among
 * them can be guessed: a point read touches a line or two here and goes straight to its entry,
 * where a search by restart points would touch a line for each step and each entry passed.
 */
final class HashGroups {
  /** Table id and hash: what a group's stems have in common. */
  static final int PREFIX_BYTES = 6;

  /** A guess that is further off is no good: the rest is searched by halves. */
  private static final int MAX_WALK = 16;

  final int tableId;

  /** Hash in the upper half, position of the hash's first entry in the lower; ascending. */
  private final long[] groups;

  private HashGroups(int tableId, long[] groups) {
    this.tableId = tableId;
    this.groups = groups;
  }

  /** Reads through a block; raises CORRUPTION or IndexOutOfBoundsException if it is damaged. */
  static HashGroups of(Block block) {
    BlockEntry entry = new BlockEntry();
    long[] groups = new long[64];
    int size = 0;
    long prefix = -1;
    for (int at = block.firstEntry; at < block.entriesEnd; ) {
      int keyAt = entry.read(block, at);
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
    return new HashGroups((int) (prefix >>> 32), Arrays.copyOf(groups, size));
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

  long memoryBytes() {
    return 8L * groups.length + 48;
  }

  int size() {
    return groups.length;
  }

  int hash(int group) {
    return (int) (groups[group] >>> 32);
  }

  int position(int group) {
    return (int) groups[group];
  }

  /** Writes the bytes that all stems of the group start with. */
  void putPrefix(int group, byte[] key) {
    int hash = hash(group);
    key[0] = (byte) (tableId >>> 8);
    key[1] = (byte) tableId;
    for (int i = 0; i < 4; i++) {
      key[2 + i] = (byte) (hash >>> 24 - 8 * i);
    }
  }

  /** The first group whose hash is, unsigned, not smaller; {@link #size} if there is none. */
  int find(int hash) {
    long target = (hash & 0xFFFF_FFFFL) << 32;
    int low = 0; // all before low are smaller
    int high = groups.length; // high and all behind are not
    int guess = guess(target, high);
    if (Long.compareUnsigned(groups[guess], target) < 0) {
      low = guess + 1;
      for (int end = Math.min(high, low + MAX_WALK); low < end; low++) {
        if (Long.compareUnsigned(groups[low], target) >= 0) {
          return low;
        }
      }
    } else {
      high = guess;
      for (int end = Math.max(0, high - MAX_WALK); high > end; high--) {
        if (Long.compareUnsigned(groups[high - 1], target) < 0) {
          return high;
        }
      }
    }
    while (low < high) {
      int middle = low + high >>> 1;
      if (Long.compareUnsigned(groups[middle], target) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int guess(long target, int size) {
    long first = groups[0] >>> 32;
    long span = (groups[size - 1] >>> 32) - first;
    long distance = (target >>> 32) - first;
    if (distance <= 0) {
      return 0;
    }
    return distance >= span ? size - 1 : (int) (distance * (size - 1) / span);
  }
}
