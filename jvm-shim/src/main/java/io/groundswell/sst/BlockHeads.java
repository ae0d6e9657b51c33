package io.groundswell.sst;

/**
 * What a point read has to know of a cached block before it looks into it, for all blocks of an
 * SST in one array: a line of memory for each, where an object for each would be another page. A
 * block's words are set before the block goes into the cache and are the same each time.
 */
final class BlockHeads {
  private static final int STRIDE = 4;

  private final long[] words;

  BlockHeads(int blocks) {
    words = new long[STRIDE * blocks];
  }

  void set(int i, Block block) {
    int at = STRIDE * i;
    words[at] = block.firstHash << 32 | block.groups;
    words[at + 1] = (long) block.tableId << 32 | block.entriesEnd;
    words[at + 2] = Double.doubleToRawLongBits(block.groupsPerHash);
    words[at + 3] = block.baseEpoch;
  }

  /** Groups in the block's directory; 0: it has none. */
  int groups(int i) {
    return (int) words[STRIDE * i];
  }

  long firstHash(int i) {
    return words[STRIDE * i] >>> 32;
  }

  int tableId(int i) {
    return (int) (words[STRIDE * i + 1] >>> 32);
  }

  int entriesEnd(int i) {
    return (int) words[STRIDE * i + 1];
  }

  double groupsPerHash(int i) {
    return Double.longBitsToDouble(words[STRIDE * i + 2]);
  }

  long baseEpoch(int i) {
    return words[STRIDE * i + 3];
  }

  static long memoryBytes(int blocks) {
    return 8L * STRIDE * blocks;
  }
}
