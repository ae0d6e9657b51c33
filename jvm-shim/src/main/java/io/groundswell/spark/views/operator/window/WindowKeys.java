package io.groundswell.spark.views.operator.window;

import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Keys of a window's rows: with a watermark on a partition column its time (8 bytes) | length of
 * the partition's key (4 bytes) | the partition's key | order columns and stream key, encoded to
 * sort. So the rows of a partition stand together, in order; ties in the order of their stream
 * keys; and one mark ends the partitions that the watermark has passed.
 */
final class WindowKeys {
  private final OrderEncoding order;
  private final OrderEncoding full;
  private final TimeBound time; // of partitions; null: none
  private final ByteWriter scratch = new ByteWriter();

  WindowKeys(List<Column> input, List<OrderEncoding.Key> order, List<OrderEncoding.Key> key,
      TimeBound time) {
    this.time = time;
    this.order = new OrderEncoding(input, order);
    List<OrderEncoding.Key> all = new ArrayList<>(order);
    all.addAll(key);
    this.full = new OrderEncoding(input, all);
  }

  /** What all keys of a partition begin with. */
  byte[] prefix(UnsafeRow partition) {
    start(partition);
    return scratch.copy(0);
  }

  byte[] of(UnsafeRow partition, UnsafeRow row) {
    start(partition);
    full.write(row, scratch);
    return scratch.copy(0);
  }

  /** The order columns alone, which rows that tie have in common. */
  byte[] rank(UnsafeRow row) {
    scratch.clear();
    order.write(row, scratch);
    return scratch.copy(0);
  }

  /** Ends the partitions that the watermark has passed. */
  void clean(StateTable table) {
    if (time != null) {
      time.clean(table);
    }
  }

  private void start(UnsafeRow partition) {
    scratch.clear();
    if (time != null) {
      time.write(partition, scratch);
    }
    scratch.putInt(partition.getSizeInBytes());
    scratch.putBytes(
        StateTable.bytes(partition), StateTable.offset(partition), partition.getSizeInBytes());
  }

  /** A key of a partition turned into one that sorts the other way round, and back. */
  static byte[] inverted(byte[] key, int prefixLength) {
    byte[] inverted = key.clone();
    for (int i = prefixLength; i < inverted.length; i++) {
      inverted[i] = (byte) ~inverted[i];
    }
    return inverted;
  }
}
