package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.PartitionMove;
import io.groundswell.spark.views.operator.spi.TableMove;

/**
 * Moves bundles that stand where the hash of their key says, and counts their rows anew.
 *
 * @param parts how many parts each row has in its {@link RowList}
 */
public record BundleMove(int parts) implements TableMove {
  @Override
  public void move(PartitionMove move, String table) {
    TableSpec spec = move.create(table);
    long[] found = new long[1];
    move.eachByHash(table, (partition, row) -> {
      Slice value = row.value();
      found[0] += RowList.count(value);
      move.write(spec, row.hash(), row.key(), value);
    });
    move.keepWatermark(table, spec);
    count(move, table, found[0] / parts);
  }

  /** Notes how many rows a table of bundles has in the new partition. */
  public static void count(PartitionMove move, String table, long rows) {
    if (rows > 0) {
      new BundleCount(move.to(), table, new OperatorCounters()).add(rows);
    }
    move.bundled(rows);
  }
}
