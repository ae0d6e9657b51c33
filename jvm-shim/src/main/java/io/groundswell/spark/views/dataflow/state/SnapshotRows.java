package io.groundswell.spark.views.dataflow.state;

import com.google.common.collect.Iterators;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.views.contract.dataflow.StoredSpec;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.view.TablePart;
import io.groundswell.spark.views.operator.view.ViewDiff;
import io.groundswell.spark.views.operator.view.ViewTables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Decodes a kept table as inserts: columns of the key and of the row, in the wanted order, and the
 * weight +1.
 *
 * @param table that has them
 * @param positions of the wanted columns in key columns, then row columns
 * @param part which of the rows
 */
public record SnapshotRows(String table, DataType[] keyTypes, DataType[] rowTypes, int[] positions,
    TablePart part) implements SnapshotRdd.SnapshotReader {
  private static final long serialVersionUID = 1L;

  /** Of an operator that gives a table's rows. */
  public static SnapshotRows of(StoredSpec operator) {
    int keyWidth = Math.max(1, operator.keyTypes().size()); // a key of no columns is one constant
    int[] positions = operator.parts()
                          .stream()
                          .mapToInt(part -> part.inKey() ? part.at() : keyWidth + part.at())
                          .toArray();
    return new SnapshotRows(operator.table(), operator.keyTypes().toArray(DataType[] ::new),
        operator.rowTypes().toArray(DataType[] ::new), positions, TablePart.ALL);
  }

  /** The same of one part of the rows. */
  public SnapshotRows of(TablePart wanted) {
    return new SnapshotRows(table, keyTypes, rowTypes, positions, wanted);
  }

  @Override
  public Iterator<InternalRow> read(Snapshot snapshot) {
    UnsafeProjection projection = projection();
    GenericInternalRow weight = new GenericInternalRow(new Object[] {1});
    JoinedRow weighted = new JoinedRow();
    return Iterators.transform(
        ViewTables.keyed(snapshot, table, keyTypes.length, rowTypes.length, part),
        row -> projection.apply(weighted.apply(row, weight)));
  }

  /** What was there with the weight -1, what is there with +1. */
  @Override
  public Iterator<InternalRow> changes(StateRange range) {
    UnsafeProjection projection = projection();
    GenericInternalRow weight = new GenericInternalRow(1);
    JoinedRow row = new JoinedRow();
    JoinedRow weighted = new JoinedRow();
    Iterator<UnsafeRow> found = ViewDiff.keyed(range.before(), range.commits(), table,
        keyTypes.length, rowTypes.length, any -> true, (type, key, values) -> {
          boolean gone = type == ChangeType.DELETE || type == ChangeType.UPDATE_PREIMAGE;
          weight.setInt(0, gone ? -1 : 1);
          return projection.apply(weighted.apply(row.apply(key, values), weight)).copy();
        });
    return Iterators.transform(found, each -> each);
  }

  /** The wanted columns and the weight, of key, row and weight; lent until the task ends. */
  private UnsafeProjection projection() {
    List<Column> columns = new ArrayList<>();
    if (keyTypes.length == 0) {
      columns.add(new Column("", "", DataTypes.ByteType, true));
    }
    for (DataType type : keyTypes) {
      columns.add(new Column("", "", type, true));
    }
    for (DataType type : rowTypes) {
      columns.add(new Column("", "", type, true));
    }
    columns.add(new Column("", "", DataTypes.IntegerType, false));
    int[] wanted = Arrays.copyOf(positions, positions.length + 1);
    wanted[positions.length] = columns.size() - 1;
    Projections code = new Projections();
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> code.release());
    return code.select(columns, wanted);
  }
}
