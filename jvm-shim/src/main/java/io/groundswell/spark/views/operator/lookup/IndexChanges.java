package io.groundswell.spark.views.operator.lookup;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** A barrier's changes of an index, by index key. */
final class IndexChanges {
  private IndexChanges() {}

  /**
   * @param streamKey positions of what of the stream key is not in the index key
   * @param wanted the index keys to take
   */
  static Map<UnsafeRow, ChangeBuffer> collect(Projections code, Iterator<InternalRow> rows,
      List<Column> columns, RowKeys indexKeys, int[] streamKey, Predicate<UnsafeRow> wanted,
      OperatorCounters counters) {
    RowKeys streamKeys = new RowKeys(code, columns, streamKey);
    UnsafeProjection values = code.select(columns, Projections.all(columns.size()));
    int weight = columns.size();
    Map<UnsafeRow, ChangeBuffer> changes = new LinkedHashMap<>();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UnsafeRow indexKey = indexKeys.of(row);
      if (!wanted.test(indexKey)) {
        continue;
      }
      ChangeBuffer buffer = changes.get(indexKey);
      if (buffer == null) {
        buffer = new ChangeBuffer(2);
        changes.put(indexKey.copy(), buffer);
      }
      buffer.add(streamKeys.of(row), row.getInt(weight), values.apply(row));
    }
    return changes;
  }
}
