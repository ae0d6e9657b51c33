package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.Slice;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/** Rows one after the other in one array: of each its length (4 bytes) and its bytes. */
public final class RowList {
  private final ByteWriter out = new ByteWriter();
  private int count;

  public void add(UnsafeRow row) {
    out.putInt(row.getSizeInBytes());
    out.putBytes(StateTable.bytes(row), StateTable.offset(row), row.getSizeInBytes());
    count++;
  }

  /** Forgets the rows, not the room they took. */
  public void clear() {
    out.clear();
    count = 0;
  }

  public int count() {
    return count;
  }

  public byte[] bytes() {
    return out.bytes;
  }

  /** How many bytes its rows take. */
  public int length() {
    return out.length;
  }

  /** The end of the rows from {@code start} on that take so many bytes at most; one at least. */
  int piece(int start, int most) {
    int end = start;
    while (end < out.length) {
      int next = end + Integer.BYTES + ByteReader.intAt(out.bytes, end);
      if (end > start && next - start > most) {
        break;
      }
      end = next;
    }
    return end;
  }

  /** How many rows a list has. */
  public static long count(Slice list) {
    long count = 0;
    for (int at = list.offset; at < list.offset + list.length; count++) {
      at += Integer.BYTES + ByteReader.intAt(list.bytes, at);
    }
    return count;
  }

  /** Points {@code out} at the row at a position; returns that of the next one. */
  public static int read(byte[] bytes, int at, UnsafeRow out) {
    int length = ByteReader.intAt(bytes, at);
    int start = at + Integer.BYTES;
    out.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start, length);
    return start + length;
  }
}
