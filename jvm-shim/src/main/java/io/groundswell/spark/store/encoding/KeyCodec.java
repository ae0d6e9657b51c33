package io.groundswell.spark.store.encoding;

import io.groundswell.key.TableSpec;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Encodes the key rows of one column family. An encoding call leaves its result in the public
 * fields, which stand until the next call or until the row changes; hot paths read them from there.
 */
public abstract class KeyCodec {
  /** Encoded key or prefix: {@code bytes[offset, offset + length)}. */
  public byte[] bytes = new byte[64];

  public int offset;
  public int length;

  /** The row's partition hash. */
  public int hash;

  public abstract TableSpec.Layout layout();

  public abstract void encode(UnsafeRow key);

  /** The key row, in bytes of its own that stay as they are. */
  public abstract UnsafeRow decode(byte[] encoded, int from, int count);

  /** Whether {@link #encodePrefix} works: the family was declared for prefix scans. */
  public boolean scansPrefix() {
    return false;
  }

  /** What all keys that start with these columns have in common. */
  public void encodePrefix(UnsafeRow prefix) {
    throw new UnsupportedOperationException("keys of this family have no prefix");
  }

  /** Whether the encoded bytes sort as Spark wants them to. */
  public final boolean scansRange() {
    return layout() == TableSpec.Layout.ORDERED;
  }

  /** Makes room in the buffer that the subclass writes to. */
  protected final byte[] room(byte[] buffer, int size) {
    return buffer.length >= size ? buffer : new byte[Math.max(size, 2 * buffer.length)];
  }

  /** A copy of what the last call encoded. */
  public final byte[] copy() {
    return java.util.Arrays.copyOfRange(bytes, offset, offset + length);
  }
}
