package io.groundswell.spark.views.operator.lookup;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** A barrier's changes of an index, or a part of them, by index key. */
final class IndexChanges {
  /** Bytes of an index key and of a change beside their own: objects and maps. */
  private static final int KEY_OVERHEAD = 250;

  private static final int ROW_OVERHEAD = 220;

  private final Map<UnsafeRow, ChangeBuffer> byKey = new LinkedHashMap<>();
  private final RowKeys indexKeys;
  private final RowKeys streamKeys;
  private final UnsafeProjection values;
  private final int weight;

  /**
   * @param indexKeys of the index columns
   * @param streamKey positions of what of the stream key is not in the index key
   */
  IndexChanges(Projections code, List<Column> columns, RowKeys indexKeys, int[] streamKey) {
    this.indexKeys = indexKeys;
    streamKeys = new RowKeys(code, columns, streamKey);
    values = code.select(columns, Projections.all(columns.size()));
    weight = columns.size();
  }

  /** Of the index columns. */
  RowKeys indexKeys() {
    return indexKeys;
  }

  Map<UnsafeRow, ChangeBuffer> byKey() {
    return byKey;
  }

  /** Adds a row under its index key; returns how many bytes more are held, about. */
  long add(UnsafeRow indexKey, InternalRow row) {
    ChangeBuffer buffer = byKey.get(indexKey);
    long held = ROW_OVERHEAD;
    if (buffer == null) {
      buffer = new ChangeBuffer(2);
      byKey.put(indexKey.copy(), buffer);
      held += KEY_OVERHEAD + indexKey.getSizeInBytes();
    }
    UnsafeRow value = values.apply(row);
    buffer.add(streamKeys.of(row), row.getInt(weight), value);
    return held + value.getSizeInBytes();
  }

  /** Moves a row of an input to a later pass. */
  void move(int input, InternalRow row, Passes.Target parts) {
    parts.add(input, indexKeys.hash(indexKeys.of(row)), row.getInt(weight), values.apply(row));
  }

  /** Moves all to a later pass. */
  void moveAll(int input, Passes.Target parts) {
    byKey.forEach((key, buffer) -> {
      int hash = indexKeys.hash(key);
      buffer.forEach((row, change) -> parts.add(input, hash, change, row));
    });
    byKey.clear();
  }
}
