package io.groundswell.spark.views.dataflow.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Iterators;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.view.TablePart;
import io.groundswell.spark.views.operator.view.ViewDiff;
import io.groundswell.spark.views.operator.view.ViewTables;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

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

  /** Of a {@code snapshot} operator, or one that reads a recursion. */
  public static SnapshotRows of(JsonNode operator) {
    DataType[] key = types(operator.path("keyTypes"));
    DataType[] row = types(operator.path("rowTypes"));
    int keyWidth = Math.max(1, key.length); // a key of no columns is one constant
    List<Integer> positions = new ArrayList<>();
    for (JsonNode part : operator.path("parts")) {
      int at = part.path(1).asInt();
      positions.add(part.path(0).asText().equals("key") ? at : keyWidth + at);
    }
    return new SnapshotRows(operator.path("table").asText(ViewTables.ROWS), key, row,
        positions.stream().mapToInt(p -> p).toArray(), TablePart.ALL);
  }

  private static DataType[] types(JsonNode list) {
    List<DataType> result = new ArrayList<>();
    list.forEach(type -> result.add(DataType.fromJson(type.toString())));
    return result.toArray(DataType[] ::new);
  }

  /** The same of one part of the rows. */
  public SnapshotRows of(TablePart wanted) {
    return new SnapshotRows(table, keyTypes, rowTypes, positions, wanted);
  }

  @Override
  public Iterator<InternalRow> read(Snapshot snapshot) {
    UnsafeProjection projection = projection(Literal.create(1, DataTypes.IntegerType));
    return Iterators.transform(
        ViewTables.keyed(snapshot, table, keyTypes.length, rowTypes.length, part),
        projection::apply);
  }

  /** What was there with the weight -1, what is there with +1. */
  @Override
  public Iterator<InternalRow> changes(StateRange range) {
    int width = keyWidth() + rowTypes.length;
    UnsafeProjection projection =
        projection(new BoundReference(width, DataTypes.IntegerType, false));
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

  private int keyWidth() {
    return Math.max(1, keyTypes.length);
  }

  private UnsafeProjection projection(Expression weight) {
    List<Expression> columns = new ArrayList<>();
    for (int position : positions) {
      DataType type = position < keyWidth() ? keyTypes[position] : rowTypes[position - keyWidth()];
      columns.add(new BoundReference(position, type, true));
    }
    columns.add(weight);
    return UnsafeProjection.create(Scala.seq(columns));
  }
}
