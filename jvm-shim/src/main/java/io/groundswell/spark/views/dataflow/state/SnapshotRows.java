package io.groundswell.spark.views.dataflow.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Iterators;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.operator.view.ViewTables;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Decodes a kept table as inserts: columns of the key and of the row, in the wanted order, and the
 * weight +1.
 *
 * @param positions of the wanted columns in key columns, then row columns
 */
public record SnapshotRows(DataType[] keyTypes, DataType[] rowTypes, int[] positions)
    implements SnapshotRdd.SnapshotReader {
  private static final long serialVersionUID = 1L;

  /** Of a {@code snapshot} operator. */
  public static SnapshotRows of(JsonNode operator) {
    DataType[] key = types(operator.path("keyTypes"));
    DataType[] row = types(operator.path("rowTypes"));
    int keyWidth = Math.max(1, key.length); // a key of no columns is one constant
    List<Integer> positions = new ArrayList<>();
    for (JsonNode part : operator.path("parts")) {
      int at = part.path(1).asInt();
      positions.add(part.path(0).asText().equals("key") ? at : keyWidth + at);
    }
    return new SnapshotRows(key, row, positions.stream().mapToInt(p -> p).toArray());
  }

  private static DataType[] types(JsonNode list) {
    List<DataType> result = new ArrayList<>();
    list.forEach(type -> result.add(DataType.fromJson(type.toString())));
    return result.toArray(DataType[] ::new);
  }

  @Override
  public Iterator<InternalRow> read(Snapshot snapshot) {
    int keyWidth = Math.max(1, keyTypes.length);
    List<Expression> columns = new ArrayList<>();
    for (int position : positions) {
      DataType type = position < keyWidth ? keyTypes[position] : rowTypes[position - keyWidth];
      columns.add(new BoundReference(position, type, true));
    }
    columns.add(Literal.create(1, DataTypes.IntegerType));
    UnsafeProjection projection = UnsafeProjection.create(Scala.seq(columns));
    Iterator<InternalRow> rows = ViewTables.keyed(snapshot, keyTypes.length, rowTypes.length);
    return Iterators.transform(rows, projection::apply);
  }
}
