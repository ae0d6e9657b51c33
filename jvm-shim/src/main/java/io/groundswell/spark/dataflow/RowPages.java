package io.groundswell.spark.dataflow;

import io.groundswell.spark.compat.SharedBlocks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows that one task gives to one partition, as bytes in pages: of each row its length in eight
 * bytes, so that rows stay aligned, and the row. Full pages beyond a budget go to Spark's block
 * manager, which keeps them in memory as far as it has some, else on disk.
 */
final class RowPages {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int FIRST_PAGE = 4 << 10;
  private static final int LARGEST_PAGE = 256 << 10;

  /** Where pages are counted that are held here, and told names for those that are not. */
  interface Budget {
    /** Takes up so many bytes; false if that is too much, and nothing was taken. */
    boolean take(long bytes);

    String newBlock();
  }

  /**
   * A full page.
   *
   * @param bytes null if it is in a block
   */
  private record Page(byte[] bytes, String block, int length) {}

  private final Budget budget;
  private final List<Page> full = new ArrayList<>();
  private byte[] page = {};
  private int length;
  private long rows;

  RowPages(Budget budget) {
    this.budget = budget;
  }

  void add(UnsafeRow row) {
    int size = row.getSizeInBytes();
    int end = length + Long.BYTES + size;
    if (end > page.length || end < 0) {
      turn(size);
      end = length + Long.BYTES + size;
    }
    LONG.set(page, length, (long) size);
    row.writeToMemory(page, Platform.BYTE_ARRAY_OFFSET + length + Long.BYTES);
    length = end;
    rows++;
  }

  private void turn(int size) {
    int wanted = page.length == 0 ? FIRST_PAGE : Math.min(LARGEST_PAGE, 4 * page.length);
    finish();
    page = new byte[Math.max(wanted, Math.addExact(size, Long.BYTES))];
  }

  /** No more rows come. */
  void finish() {
    if (length == 0) {
      return;
    }
    if (budget.take(page.length)) {
      full.add(new Page(page, null, length));
    } else {
      String block = budget.newBlock();
      byte[] bytes = length == page.length ? page : java.util.Arrays.copyOf(page, length);
      if (!SharedBlocks.put(block, bytes)) {
        throw new IllegalStateException(
            "rows on their way to the next operator could be kept neither in memory nor on the "
            + "local disk (spark.local.dir): " + length + " bytes");
      }
      full.add(new Page(null, block, length));
    }
    length = 0;
  }

  long rows() {
    return rows;
  }

  /** Drops pages that are in blocks. */
  void release() {
    for (Page each : full) {
      if (each.block() != null) {
        SharedBlocks.remove(each.block());
      }
    }
  }

  /** All rows; one object for all, whose bytes stay as they are. */
  Iterator<InternalRow> read(int columns) {
    return new Reader(columns);
  }

  private final class Reader implements Iterator<InternalRow> {
    private final UnsafeRow row;
    private byte[] bytes = {};
    private int next;
    private int at;
    private int end;

    Reader(int columns) {
      row = new UnsafeRow(columns);
    }

    @Override
    public boolean hasNext() {
      while (at == end) {
        if (next == full.size()) {
          return false;
        }
        Page current = full.get(next++);
        bytes = current.bytes() != null ? current.bytes() : fetch(current);
        at = 0;
        end = current.length();
      }
      return true;
    }

    private static byte[] fetch(Page page) {
      byte[] found = SharedBlocks.local(page.block(), 0, page.length());
      if (found == null) {
        throw new IllegalStateException("rows on their way to the next operator are gone: block "
            + page.block() + " of this process");
      }
      return found;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int size = (int) (long) LONG.get(bytes, at);
      int start = at + Long.BYTES;
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start, size);
      at = start + size;
      return row;
    }
  }
}
