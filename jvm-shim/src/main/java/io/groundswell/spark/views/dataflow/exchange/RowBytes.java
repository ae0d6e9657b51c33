package io.groundswell.spark.views.dataflow.exchange;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows one after the other in a page of bytes: of each its length in eight bytes, so that rows stay
 * aligned, and the row.
 */
final class RowBytes {
  private RowBytes() {}

  /** How many bytes of a page a row takes. */
  static int size(UnsafeRow row) {
    return Math.addExact(Long.BYTES, row.getSizeInBytes());
  }

  /** Where the row ends that is written to {@code at}. */
  static int write(UnsafeRow row, byte[] page, int at) {
    long where = (long) Platform.BYTE_ARRAY_OFFSET + at;
    Platform.putLong(page, where, row.getSizeInBytes());
    row.writeToMemory(page, where + Long.BYTES);
    return at + Long.BYTES + row.getSizeInBytes();
  }

  /** The rows of pages; one object for all, whose bytes stay as they are. */
  abstract static class Reader implements Iterator<InternalRow> {
    private final UnsafeRow row;
    private byte[] page = {};
    private int at;
    private int end;

    Reader(int columns) {
      row = new UnsafeRow(columns);
    }

    /** Calls {@link #open} with the next page; false if there is none. */
    protected abstract boolean turn();

    /** Goes on with the first bytes of a page. */
    protected final void open(byte[] next, int length) {
      page = next;
      at = 0;
      end = length;
    }

    @Override
    public final boolean hasNext() {
      while (at == end) {
        if (!turn()) {
          return false;
        }
      }
      return true;
    }

    @Override
    public final InternalRow next() {
      if (at == end && !hasNext()) {
        throw new NoSuchElementException();
      }
      long where = (long) Platform.BYTE_ARRAY_OFFSET + at;
      int size = (int) Platform.getLong(page, where);
      row.pointTo(page, where + Long.BYTES, size);
      at += Long.BYTES + size;
      return row;
    }
  }
}
