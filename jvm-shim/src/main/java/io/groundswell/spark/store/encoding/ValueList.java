package io.groundswell.spark.store.encoding;

import io.groundswell.engine.Slice;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows as one value: before each row stands a word (8 bytes, to keep rows aligned) of the number of
 * its schema (4) and its length (4). Order is append order. A first word below zero is not a row's:
 * its low 31 bits say how many further segments the list has.
 */
public final class ValueList {
  private static final int WORD = 8;

  private final Slice slice = new Slice();

  /** The list being built: {@code bytes[0, length)}; reused. */
  public byte[] bytes = new byte[256];

  public int length;

  public void clear() {
    length = 0;
  }

  /** Starts with the rows that are already there. */
  public void load(Slice encoded) {
    clear();
    append(encoded.bytes, encoded.offset, encoded.length);
  }

  /** Starts a head: the rows of {@code encoded}, a list or a head, and a count of segments. */
  public void loadHead(Slice encoded, int segments) {
    clear();
    reserve(WORD);
    RowBytes.putLongBigEndian(bytes, 0, Long.MIN_VALUE | segments);
    length = WORD;
    int skipped = segments(encoded) == 0 ? 0 : WORD;
    append(encoded.bytes, encoded.offset + skipped, encoded.length - skipped);
  }

  private void append(byte[] from, int offset, int count) {
    reserve(count);
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }

  public void add(UnsafeRow row, int schemaId) {
    RowBytes.of(row, slice);
    reserve(WORD + slice.length);
    RowBytes.putLongBigEndian(bytes, length, (long) schemaId << 32 | slice.length);
    length += WORD;
    append(slice.bytes, slice.offset, slice.length);
  }

  /** What was built, in bytes of its own. */
  public byte[] copy() {
    return Arrays.copyOf(bytes, length);
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }

  /** How many segments follow this value; 0 for a list that is in one piece. */
  public static int segments(Slice encoded) {
    long word =
        encoded.length < WORD ? 0 : RowBytes.getLongBigEndian(encoded.bytes, encoded.offset);
    return word < 0 ? (int) word : 0;
  }

  /** The first row: what a plain get sees; null if there is none. */
  public static UnsafeRow first(Slice encoded, RowReader reader) {
    Rows rows = new Rows(encoded, reader);
    return rows.hasNext() ? rows.next() : null;
  }

  /** Rows of an encoded list, one after the other; they point into its bytes. */
  public static final class Rows implements Iterator<UnsafeRow> {
    private final byte[] bytes;
    private final int end;
    private final RowReader reader;
    private int at;

    public Rows(Slice encoded, RowReader reader) {
      this.bytes = encoded.bytes;
      this.at = encoded.offset + (segments(encoded) == 0 ? 0 : WORD);
      this.end = encoded.offset + encoded.length;
      this.reader = reader;
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
      long word = RowBytes.getLongBigEndian(bytes, at);
      int size = (int) word;
      UnsafeRow row = reader.read(bytes, at + WORD, size, (int) (word >>> 32));
      at += WORD + size;
      return row;
    }
  }
}
