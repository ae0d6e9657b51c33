package io.groundswell.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Sorts row numbers by key, with eight bytes of each key beside them. Rows are first dealt into
 * about as many buckets as there are rows, by where their prefix lies between the smallest and the
 * largest: keys that start with a hash fill them evenly, and little is left to do. Buckets that
 * came out large are merge-sorted.
 */
final class RowSorter {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int SMALL = 12;
  private static final int MAX_BUCKET_BITS = 16;

  private final RowStore store;

  RowSorter(RowStore store) {
    this.store = store;
  }

  static long bigEndian(byte[] bytes, int offset) {
    return (long) LONG.get(bytes, offset);
  }

  void sort(long[] prefixes, int[] rows) {
    int count = rows.length;
    long smallest = -1L;
    long largest = 0;
    for (long prefix : prefixes) {
      smallest = Long.compareUnsigned(prefix, smallest) < 0 ? prefix : smallest;
      largest = Long.compareUnsigned(prefix, largest) > 0 ? prefix : largest;
    }
    int bucketBits = Math.min(MAX_BUCKET_BITS, 32 - Integer.numberOfLeadingZeros(count / 2));
    int shift = Math.max(0, 64 - Long.numberOfLeadingZeros(largest - smallest) - bucketBits);
    int[] ends = new int[(1 << bucketBits) + 1];
    for (long prefix : prefixes) {
      ends[(int) (prefix - smallest >>> shift)]++;
    }
    for (int bucket = 1; bucket < ends.length; bucket++) {
      ends[bucket] += ends[bucket - 1];
    }
    long[] sparePrefixes = new long[count];
    int[] spareRows = new int[count];
    int[] at = ends.clone();
    for (int i = count - 1; i >= 0; i--) {
      int to = --at[(int) (prefixes[i] - smallest >>> shift)];
      sparePrefixes[to] = prefixes[i];
      spareRows[to] = rows[i];
    }
    System.arraycopy(sparePrefixes, 0, prefixes, 0, count);
    System.arraycopy(spareRows, 0, rows, 0, count);
    int from = 0;
    for (int end : ends) {
      if (end - from > 1) {
        sort(prefixes, rows, sparePrefixes, spareRows, from, end);
      }
      from = end;
    }
  }

  /** Sorts [from, to); the spare arrays hold the same rows on entry. */
  private void sort(
      long[] prefixes, int[] rows, long[] sparePrefixes, int[] spareRows, int from, int to) {
    if (to - from <= SMALL) {
      insertionSort(prefixes, rows, from, to);
      return;
    }
    int middle = (from + to) >>> 1;
    sort(sparePrefixes, spareRows, prefixes, rows, from, middle);
    sort(sparePrefixes, spareRows, prefixes, rows, middle, to);
    if (!after(sparePrefixes, spareRows, middle - 1, sparePrefixes[middle], spareRows[middle])) {
      System.arraycopy(sparePrefixes, from, prefixes, from, to - from);
      System.arraycopy(spareRows, from, rows, from, to - from);
      return;
    }
    int left = from;
    int right = middle;
    for (int out = from; out < to; out++) {
      boolean takeRight = left == middle
          || (right < to
              && after(sparePrefixes, spareRows, left, sparePrefixes[right], spareRows[right]));
      int take = takeRight ? right++ : left++;
      prefixes[out] = sparePrefixes[take];
      rows[out] = spareRows[take];
    }
  }

  private void insertionSort(long[] prefixes, int[] rows, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      long prefix = prefixes[i];
      int row = rows[i];
      int at = i;
      while (at > from && after(prefixes, rows, at - 1, prefix, row)) {
        prefixes[at] = prefixes[at - 1];
        rows[at] = rows[at - 1];
        at--;
      }
      prefixes[at] = prefix;
      rows[at] = row;
    }
  }

  private boolean after(long[] prefixes, int[] rows, int index, long prefix, int row) {
    int order = Long.compareUnsigned(prefixes[index], prefix);
    return order != 0 ? order > 0 : store.compareKeys(rows[index], row) > 0;
  }
}
