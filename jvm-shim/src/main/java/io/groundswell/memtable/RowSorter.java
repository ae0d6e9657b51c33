package io.groundswell.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Merge sort of row numbers by key, with eight bytes of each key beside them. */
final class RowSorter {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int SMALL = 12;

  private final RowStore store;

  RowSorter(RowStore store) {
    this.store = store;
  }

  static long bigEndian(byte[] bytes, int offset) {
    return (long) LONG.get(bytes, offset);
  }

  void sort(long[] prefixes, int[] rows) {
    sort(prefixes, rows, prefixes.clone(), rows.clone(), 0, rows.length);
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
      boolean takeRight =
          left == middle
              || (right < to
                  && after(
                      sparePrefixes, spareRows, left, sparePrefixes[right], spareRows[right]));
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
