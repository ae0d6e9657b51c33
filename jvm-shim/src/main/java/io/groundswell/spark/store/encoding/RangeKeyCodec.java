package io.groundswell.spark.store.encoding;

import io.groundswell.key.TableSpec;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * Keys that are read in the order of some columns: {@code ordered columns | key row}. Keys that
 * agree in the ordering columns follow by the bytes of the row, so a bound whose other columns
 * hold byte-minimal values (as Spark makes them) comes before all of them.
 */
final class RangeKeyCodec extends KeyCodec {
  private final int fields;
  private final OrderedColumns ordered;
  private final PartitionHash partition;
  private final boolean prefixScans;
  private byte[] buffer = new byte[128];

  RangeKeyCodec(StructType schema, int[] ordinals, PartitionHash partition, boolean prefixScans) {
    this.fields = schema.length();
    this.ordered = new OrderedColumns(schema, ordinals);
    this.partition = partition;
    this.prefixScans = prefixScans;
  }

  @Override
  public TableSpec.Layout layout() {
    return TableSpec.Layout.ORDERED;
  }

  @Override
  public void encode(UnsafeRow key) {
    int size = ordered.size() + key.getSizeInBytes();
    buffer = room(buffer, size);
    int at = ordered.write(key, buffer, 0);
    key.writeToMemory(buffer, Platform.BYTE_ARRAY_OFFSET + (long) at);
    set(size);
    hash = partition.of(key);
  }

  private void set(int size) {
    bytes = buffer;
    offset = 0;
    length = size;
  }

  @Override
  public UnsafeRow decode(byte[] encoded, int from, int count) {
    int start = from + ordered.size();
    byte[] row = Arrays.copyOfRange(encoded, start, from + count);
    return RowBytes.row(row, 0, row.length, fields);
  }

  @Override
  public boolean scansPrefix() {
    return prefixScans;
  }

  @Override
  public void encodePrefix(UnsafeRow prefix) {
    buffer = room(buffer, ordered.size());
    set(ordered.writePrefix(prefix, buffer, 0));
    hash = 0;
  }
}
