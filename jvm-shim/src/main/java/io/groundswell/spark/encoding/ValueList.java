package io.groundswell.spark.encoding;

import io.groundswell.engine.Slice;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Many values of one key as one value: each row's length (8, to keep rows aligned), then the row.
 * Order is append order.
 */
public final class ValueList {
  private static final int HEADER = 8;

  private final Slice slice = new Slice();

  /** The list being built: {@code bytes[0, length)}; reused. */
  public byte[] bytes = new byte[256];

  public int length;

  public void clear() {
    length = 0;
  }

  /** Starts with the values that are already there. */
  public void load(Slice encoded) {
    clear();
    reserve(encoded.length);
    System.arraycopy(encoded.bytes, encoded.offset, bytes, 0, encoded.length);
    length = encoded.length;
  }

  public void add(UnsafeRow row) {
    RowBytes.of(row, slice);
    reserve(HEADER + slice.length);
    RowBytes.putLongBigEndian(bytes, length, slice.length);
    System.arraycopy(slice.bytes, slice.offset, bytes, length + HEADER, slice.length);
    length += HEADER + slice.length;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }

  /** Rows of an encoded list, one after the other; they point into its bytes. */
  public static final class Rows implements Iterator<UnsafeRow> {
    private final byte[] bytes;
    private final int end;
    private final int fields;
    private int at;

    public Rows(Slice encoded, int fields) {
      this.bytes = encoded.bytes;
      this.at = encoded.offset;
      this.end = encoded.offset + encoded.length;
      this.fields = fields;
    }

    @Override
    public boolean hasNext() {
      return at < end;
    }

    @Override
    public UnsafeRow next() {
      if (at >= end) {
        throw new NoSuchElementException("the list of values is at its end");
      }
      int size = (int) RowBytes.getLongBigEndian(bytes, at);
      UnsafeRow row = RowBytes.row(bytes, at + HEADER, size, fields);
      at += HEADER + size;
      return row;
    }
  }

  /** The first row of a list: what a plain get sees. */
  public static UnsafeRow first(Slice encoded, int fields) {
    return new Rows(encoded, fields).next();
  }
}
