package io.groundswell.memtable;

import java.util.Arrays;

/**
 * Row numbers in key order, in chunks of a few hundred: a two-level B-tree. The eight key bytes
 * after the table id lie beside each row number, so most comparisons stay inside the chunk.
 */
final class SortedRows {
  private static final int CHUNK = 512;

  /** Some rows that follow one another. */
  private static final class Chunk {
    final long[] prefixes = new long[CHUNK];
    final int[] rows = new int[CHUNK];
    int size;
  }

  private final RowStore store;
  private Chunk[] chunks = {new Chunk()};
  private int chunkCount = 1;
  private int size;
  private int changes;

  /** Where the last {@link #seek} or {@link #first} stopped. */
  private int foundChunk;

  private int foundIndex;

  SortedRows(RowStore store) {
    this.store = store;
  }

  int size() {
    return size;
  }

  /** Grows with every change: positions taken before are void. */
  int changes() {
    return changes;
  }

  /** Adds rows that are not in yet, in any order. */
  void addAll(int[] rows, int from, int to) {
    if (to - from <= Math.max(16, size / 8)) {
      for (int i = from; i < to; i++) {
        insert(rows[i]);
      }
    } else {
      merge(rows, from, to);
    }
    changes++;
  }

  /** First position whose stem is &gt;= the key; read it with the {@code found} methods. */
  void seek(byte[] key, int length) {
    long prefix = prefix(key, 0, length);
    int low = 0;
    int high = chunkCount - 1;
    while (low < high) { // the first chunk whose last row is not below the key
      int middle = (low + high) >>> 1;
      Chunk chunk = chunks[middle];
      if (compare(chunk, chunk.size - 1, prefix, key, length) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    foundChunk = low;
    foundIndex = lowerBound(chunks[low], prefix, key, length);
  }

  int foundChunk() {
    return foundChunk;
  }

  int foundIndex() {
    return foundIndex;
  }

  /** The row at a position, or -1 if that chunk ends before it. */
  int rowAt(int chunk, int index) {
    return chunk < chunkCount && index < chunks[chunk].size ? chunks[chunk].rows[index] : -1;
  }

  /** Reads a little of each row from a position to another one of the chunk, or to its end. */
  int touch(int chunk, int from, int to) {
    Chunk at = chunks[chunk];
    int sum = 0;
    for (int i = from; i < Math.min(to, at.size); i++) {
      sum += store.touch(at.rows[i]);
    }
    return sum;
  }

  int chunkCount() {
    return chunkCount;
  }

  long memoryBytes() {
    return 12L * CHUNK * chunkCount;
  }

  private void insert(int row) {
    byte[] key = store.keyBytes(row);
    int offset = store.keyOffset(row);
    int length = store.keyLength(row);
    long prefix = prefix(key, offset, length);
    int low = 0;
    int high = chunkCount - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Chunk chunk = chunks[middle];
      if (compareRows(chunk, chunk.size - 1, prefix, row) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    Chunk chunk = chunks[low];
    if (chunk.size == CHUNK) {
      split(low);
      if (compareRows(chunk, chunk.size - 1, prefix, row) < 0) {
        chunk = chunks[low + 1];
      }
    }
    int at = 0;
    int end = chunk.size;
    while (at < end) {
      int middle = (at + end) >>> 1;
      if (compareRows(chunk, middle, prefix, row) < 0) {
        at = middle + 1;
      } else {
        end = middle;
      }
    }
    System.arraycopy(chunk.prefixes, at, chunk.prefixes, at + 1, chunk.size - at);
    System.arraycopy(chunk.rows, at, chunk.rows, at + 1, chunk.size - at);
    chunk.prefixes[at] = prefix;
    chunk.rows[at] = row;
    chunk.size++;
    size++;
  }

  private void split(int number) {
    Chunk left = chunks[number];
    Chunk right = new Chunk();
    // Keys often arrive in order: a full last chunk then stays full.
    int keep = number == chunkCount - 1 ? CHUNK - 1 : CHUNK / 2;
    right.size = CHUNK - keep;
    System.arraycopy(left.prefixes, keep, right.prefixes, 0, right.size);
    System.arraycopy(left.rows, keep, right.rows, 0, right.size);
    left.size = keep;
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
    }
    System.arraycopy(chunks, number + 1, chunks, number + 2, chunkCount - number - 1);
    chunks[number + 1] = right;
    chunkCount++;
  }

  private void merge(int[] rows, int from, int to) {
    int added = to - from;
    int[] newRows = Arrays.copyOfRange(rows, from, to);
    long[] newPrefixes = new long[added];
    for (int i = 0; i < added; i++) {
      int row = newRows[i];
      newPrefixes[i] = prefix(store.keyBytes(row), store.keyOffset(row), store.keyLength(row));
    }
    new RowSorter(store).sort(newPrefixes, newRows);
    Chunk[] old = chunks;
    int oldCount = chunkCount;
    chunks = new Chunk[Math.max(1, (size + added + CHUNK * 3 / 4 - 1) / (CHUNK * 3 / 4)) + 1];
    chunkCount = 0;
    Chunk out = null;
    int fresh = 0;
    for (int number = 0; number <= oldCount; number++) {
      boolean last = number == oldCount;
      int end = last ? 0 : old[number].size;
      int index = 0;
      while (last ? fresh < added : index < end) {
        boolean takeNew = last
            || (fresh < added
                && compareRows(old[number], index, newPrefixes[fresh], newRows[fresh]) > 0);
        if (out == null || out.size >= CHUNK * 3 / 4) {
          out = new Chunk();
          chunks[chunkCount++] = out;
        }
        out.prefixes[out.size] = takeNew ? newPrefixes[fresh] : old[number].prefixes[index];
        out.rows[out.size++] = takeNew ? newRows[fresh++] : old[number].rows[index++];
      }
    }
    size += added;
  }

  private int lowerBound(Chunk chunk, long prefix, byte[] key, int length) {
    int low = 0;
    int high = chunk.size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(chunk, middle, prefix, key, length) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int compare(Chunk chunk, int index, long prefix, byte[] key, int length) {
    if (chunk.size == 0) {
      return 1;
    }
    int order = Long.compareUnsigned(chunk.prefixes[index], prefix);
    return order != 0 ? order : store.compareKey(chunk.rows[index], key, length);
  }

  private int compareRows(Chunk chunk, int index, long prefix, int row) {
    if (chunk.size == 0) {
      return 1;
    }
    int order = Long.compareUnsigned(chunk.prefixes[index], prefix);
    return order != 0 ? order : store.compareKeys(chunk.rows[index], row);
  }

  /** The eight bytes after the table id, zeros where the key ends: equal ones decide nothing. */
  private static long prefix(byte[] key, int offset, int length) {
    if (length >= 10) {
      return RowSorter.bigEndian(key, offset + 2);
    }
    long prefix = 0;
    for (int i = 2; i < 10; i++) {
      prefix = prefix << 8 | (i < length ? key[offset + i] & 0xFF : 0);
    }
    return prefix;
  }
}
