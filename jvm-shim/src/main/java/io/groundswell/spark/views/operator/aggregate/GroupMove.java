package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.PartitionMove;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Moves {@link DistinctValues}: they stand in their group's partition, and by a hash of group and
 * value there. So the group is read out of each key.
 *
 * @param timed whether the group's time is before its key
 */
record GroupMove(List<Column> input, int[] grouping, boolean timed) implements TableMove {
  @Override
  public void move(PartitionMove move, String table) {
    TableSpec spec = move.create(table);
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, grouping);
    UnsafeRow group = new UnsafeRow(Math.max(1, grouping.length));
    int head = timed ? Long.BYTES : 0;
    move.each(table, any -> true, (partition, row) -> {
      Slice key = row.key();
      int length = ByteReader.intAt(key.bytes, key.offset + head);
      group.pointTo(
          key.bytes, Platform.BYTE_ARRAY_OFFSET + key.offset + head + Integer.BYTES, length);
      if (move.isMine(keys.hash(group))) {
        move.write(spec, row.hash(), key, row.value());
      }
    });
    move.keepWatermark(table, spec);
    code.release();
  }
}
