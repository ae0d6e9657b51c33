package io.groundswell.memtable;

import java.util.Arrays;

/**
 * The written rows of one table. Writing appends a row number; sorting waits until somebody reads
 * in order, and then only the rows written since the last such read are worked in.
 */
final class TableRows {
  final int tableId;

  /** Live keys here minus live keys in the base; exact if every row's base is known. */
  long liveDelta;

  private final SortedRows sorted;
  private int[] order = new int[16];
  private int size;
  private int indexed;

  TableRows(int tableId, RowStore store) {
    this.tableId = tableId;
    sorted = new SortedRows(store);
  }

  void append(int row) {
    if (size == order.length) {
      order = Arrays.copyOf(order, size * 2);
    }
    order[size++] = row;
  }

  SortedRows sorted() {
    if (indexed < size) {
      sorted.addAll(order, indexed, size);
      indexed = size;
    }
    return sorted;
  }

  int size() {
    return size;
  }

  int rowAt(int i) {
    return order[i];
  }

  long memoryBytes() {
    return 4L * order.length + sorted.memoryBytes();
  }
}
