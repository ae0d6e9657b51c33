package io.groundswell.spark.views.operator.state;

import io.groundswell.spark.views.contract.dataflow.part.SortColumn;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ValueCodec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Refs;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Some columns of a row as bytes whose unsigned order is that of a sort by them, each with its own
 * direction and place of nulls; prefix-free. Made once a task.
 */
public final class OrderEncoding {
  private static final int NULL_FIRST = 0;
  private static final int VALUE = 1;
  private static final int NULL_LAST = 2;

  /** One column to sort by. */
  public record Key(int position, boolean ascending, boolean nullsFirst)
      implements java.io.Serializable {}

  private final List<Key> keys;
  private final List<ValueCodec> codecs = new ArrayList<>();

  public OrderEncoding(List<Column> columns, List<Key> keys) {
    this.keys = keys;
    for (Key key : keys) {
      codecs.add(ValueCodec.of(columns.get(key.position()).type()));
    }
  }

  /** The columns that an operator sorts by. */
  public static List<Key> keys(List<SortColumn> order, Refs refs, List<Column> columns) {
    return order.stream()
        .map(column
            -> new Key(
                refs.position(column.ref(), columns), column.ascending(), column.nullsFirst()))
        .toList();
  }

  /** Refuses, on the driver, columns that cannot be sorted by bytes. */
  public static void check(Refs refs, List<Column> columns, List<Key> keys) {
    for (Key key : keys) {
      Column column = columns.get(key.position());
      if (ValueCodec.of(column.type()) == null) {
        throw refs.invalid("sorts by the column " + column.name() + " of type "
            + column.type().sql() + ", whose values have no order of bytes");
      }
    }
  }

  /** Appends the columns of {@code row}. */
  public void write(InternalRow row, ByteWriter out) {
    write(row, out, 0, codecs.size());
  }

  /** Appends the first column of {@code row}. */
  public void writeFirst(InternalRow row, ByteWriter out) {
    write(row, out, 0, Math.min(1, codecs.size()));
  }

  /** Appends all columns but the first. */
  public void writeRest(InternalRow row, ByteWriter out) {
    write(row, out, 1, codecs.size());
  }

  private void write(InternalRow row, ByteWriter out, int from, int to) {
    for (int i = from; i < to; i++) {
      Key key = keys.get(i);
      if (row.isNullAt(key.position())) {
        out.putByte(key.nullsFirst() ? NULL_FIRST : NULL_LAST);
        continue;
      }
      out.putByte(VALUE);
      int start = out.length;
      codecs.get(i).write(row, key.position(), out);
      if (!key.ascending()) {
        out.invert(start);
      }
    }
  }
}
