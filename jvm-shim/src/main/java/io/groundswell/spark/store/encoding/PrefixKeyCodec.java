package io.groundswell.spark.store.encoding;

import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/**
 * Keys that are scanned by their first columns: {@code head row | tail | trailer (4)}.
 * The trailer is twice the length of the head, plus one if the tail begins with null bits.
 * All keys of one head are neighbours, and share the partition hash, so the filter serves scans.
 */
final class PrefixKeyCodec extends KeyCodec {
  private static final int TRAILER = 4;

  private final RowSplitter splitter;
  private final PartitionHash partition;
  private final Slice slice = new Slice();
  private byte[] buffer = new byte[128];

  PrefixKeyCodec(StructType schema, int prefixColumns) {
    this.splitter = new RowSplitter(schema, prefixColumns);
    this.partition = PartitionHash.first(schema, prefixColumns);
  }

  @Override
  public TableSpec.Layout layout() {
    return TableSpec.Layout.HASHED;
  }

  @Override
  public void encode(UnsafeRow key) {
    UnsafeRow row = splitter.canonical(key);
    boolean nulls = splitter.hasNullsInTail(row);
    int head = splitter.headBytes(row);
    int size = head + splitter.tailBytes(row, nulls) + TRAILER;
    buffer = room(buffer, size);
    int at = splitter.writeTail(row, nulls, buffer, splitter.writeHead(row, buffer, 0));
    int trailer = head << 1 | (nulls ? 1 : 0);
    buffer[at] = (byte) (trailer >>> 24);
    buffer[at + 1] = (byte) (trailer >>> 16);
    buffer[at + 2] = (byte) (trailer >>> 8);
    buffer[at + 3] = (byte) trailer;
    bytes = buffer;
    offset = 0;
    length = size;
    hash = partition.of(row);
  }

  @Override
  public UnsafeRow decode(byte[] encoded, int from, int count) {
    int end = from + count - TRAILER;
    int trailer = (encoded[end] & 0xFF) << 24 | (encoded[end + 1] & 0xFF) << 16
        | (encoded[end + 2] & 0xFF) << 8 | (encoded[end + 3] & 0xFF);
    int head = trailer >>> 1;
    int tail = from + head;
    return splitter.join(encoded, from, head, tail, end - tail, (trailer & 1) != 0);
  }

  @Override
  public boolean scansPrefix() {
    return true;
  }

  @Override
  public void encodePrefix(UnsafeRow prefix) {
    RowBytes.of(prefix, slice);
    bytes = slice.bytes;
    offset = slice.offset;
    length = slice.length;
    hash = partition.of(prefix);
  }
}
