package io.groundswell.sst;

import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import java.util.Arrays;

/**
 * No user key of a table in an SST is above {@code upper}: what lies below a watermark is known
 * without a read.
 *
 * @param table its id
 * @param upper at most {@value #MAX_BYTES} bytes: of a longer key the beginning, rounded up; null
 *     if it cannot be rounded
 */
public record KeyBound(int table, byte[] upper) {
  static final int MAX_BYTES = 16;

  /** The bound of a table whose largest user key stands in these bytes. */
  static KeyBound of(int table, byte[] bytes, int offset, int length) {
    if (length <= MAX_BYTES) {
      return new KeyBound(table, Arrays.copyOfRange(bytes, offset, offset + length));
    }
    byte[] upper = Arrays.copyOfRange(bytes, offset, offset + MAX_BYTES);
    for (int i = MAX_BYTES - 1; i >= 0; i--) {
      if (++upper[i] != 0) { // no carry
        return new KeyBound(table, Arrays.copyOf(upper, i + 1));
      }
    }
    return new KeyBound(table, null);
  }

  void encode(ByteWriter out) {
    out.varint((long) table << 1 | (upper == null ? 0 : 1));
    if (upper != null) {
      out.blob(upper);
    }
  }

  static KeyBound decode(ByteReader in) {
    int head = in.count(2 * 0xFFFF + 1);
    return new KeyBound(head >>> 1, (head & 1) == 0 ? null : in.blob());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyBound that && table == that.table
        && Arrays.equals(upper, that.upper);
  }

  @Override
  public int hashCode() {
    return table * 31 + Arrays.hashCode(upper);
  }

  @Override
  public String toString() {
    return table + "<=" + (upper == null ? "?" : java.util.HexFormat.of().formatHex(upper));
  }
}
