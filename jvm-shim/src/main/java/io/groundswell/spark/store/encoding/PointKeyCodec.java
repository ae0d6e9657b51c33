package io.groundswell.spark.store.encoding;

import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Keys that are looked up one by one: the row's own bytes. */
final class PointKeyCodec extends KeyCodec {
  private final int fields;
  private final PartitionHash partition;
  private final Slice slice = new Slice();

  PointKeyCodec(int fields, PartitionHash partition) {
    this.fields = fields;
    this.partition = partition;
  }

  @Override
  public TableSpec.Layout layout() {
    return TableSpec.Layout.HASHED;
  }

  @Override
  public void encode(UnsafeRow key) {
    RowBytes.of(key, slice);
    bytes = slice.bytes;
    offset = slice.offset;
    length = slice.length;
    hash = partition.of(key);
  }

  @Override
  public UnsafeRow decode(byte[] encoded, int from, int count) {
    return RowBytes.row(Arrays.copyOfRange(encoded, from, from + count), 0, count, fields);
  }
}
