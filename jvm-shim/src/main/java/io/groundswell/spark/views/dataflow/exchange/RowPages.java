package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.SharedBlocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows that one task gives to one partition, in pages of bytes. Full pages beyond a budget go to
 * the local disk, as blocks of Spark's block manager: it would let them have most of the heap,
 * which caches, mem-tables and operators share, too.
 */
final class RowPages {
  private static final int FIRST_PAGE = 4 << 10;
  private static final int LARGEST_PAGE = 256 << 10;

  /** Where pages are counted that are held here, and told names for those that are not. */
  interface Budget {
    /** Takes up so many bytes; false if that is too much, and nothing was taken. */
    boolean take(long bytes);

    String newBlock();

    /** The group that all blocks are in. */
    long blocks();
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
    int size = RowBytes.size(row);
    if (size > page.length - length) {
      turn(size);
    }
    length = RowBytes.write(row, page, length);
    rows++;
  }

  private void turn(int size) {
    int wanted = page.length == 0 ? FIRST_PAGE : Math.min(LARGEST_PAGE, 4 * page.length);
    finish();
    page = new byte[Math.max(wanted, size)];
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
      byte[] bytes = length == page.length ? page : Arrays.copyOf(page, length);
      if (!SharedBlocks.putOnDisk(budget.blocks(), block, bytes)) {
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

  /** All rows; one object for all, whose bytes stay as they are. */
  Iterator<InternalRow> read(int columns) {
    Iterator<Page> pages = full.iterator();
    return new RowBytes.Reader(columns) {
      @Override
      protected boolean turn() {
        if (!pages.hasNext()) {
          return false;
        }
        Page page = pages.next();
        open(page.bytes() != null ? page.bytes() : fetch(page), page.length());
        return true;
      }
    };
  }

  private byte[] fetch(Page page) {
    byte[] found = SharedBlocks.of(budget.blocks(), page.block(), page.length());
    if (found == null) {
      throw new IllegalStateException("rows on their way to the next operator are gone: block "
          + page.block() + " of this process");
    }
    return found;
  }
}
