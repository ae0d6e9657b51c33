package io.groundswell.spark.store.encoding;

import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/**
 * Keys whose last column is an event time, read by key or by a range of times within one key:
 * {@code row of the other columns | time (8, big-endian, sign flipped)}.
 */
final class TimestampPostfixKeyCodec extends KeyCodec {
  private final RowSplitter splitter;
  private final PartitionHash partition;
  private final int timeOrdinal;
  private final Slice slice = new Slice();
  private byte[] buffer = new byte[128];

  TimestampPostfixKeyCodec(StructType schema) {
    this.timeOrdinal = schema.length() - 1;
    this.splitter = new RowSplitter(schema, timeOrdinal);
    this.partition = PartitionHash.first(schema, timeOrdinal);
  }

  @Override
  public TableSpec.Layout layout() {
    return TableSpec.Layout.ORDERED;
  }

  @Override
  public void encode(UnsafeRow key) {
    UnsafeRow row = splitter.canonical(key);
    int head = splitter.headBytes(row);
    buffer = room(buffer, head + 8);
    splitter.writeHead(row, buffer, 0);
    RowBytes.putLongBigEndian(buffer, head, row.getLong(timeOrdinal) ^ Long.MIN_VALUE);
    bytes = buffer;
    offset = 0;
    length = head + 8;
    hash = partition.of(row);
  }

  @Override
  public UnsafeRow decode(byte[] encoded, int from, int count) {
    int head = count - 8;
    byte[] parts = Arrays.copyOfRange(encoded, from, from + count);
    long time = RowBytes.getLongBigEndian(parts, head) ^ Long.MIN_VALUE;
    RowBytes.putLong(parts, head, time);
    return splitter.join(parts, 0, head, head, 8, false);
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
