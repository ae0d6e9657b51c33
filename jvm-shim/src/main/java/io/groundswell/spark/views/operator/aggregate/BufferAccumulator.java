package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.DataType;

/**
 * A function of Spark's over inputs that only come: its own buffer is the state, which must be read
 * before anything is added.
 */
final class BufferAccumulator extends Accumulator {
  private final CatalystFunction.Evaluator function;
  private final List<DataType> types;
  private final int[] args;
  private InternalRow buffer;

  BufferAccumulator(CatalystFunction.Evaluator function, List<DataType> types, int[] args) {
    this.function = function;
    this.types = types;
    this.args = args;
    this.buffer = function.begin();
  }

  @Override
  void add(SpecializedGetters row, int ordinal, int weight) {
    if (weight < 0) {
      throw RowKeys.inconsistent(
          "aggregate: a value is taken away, though the input was declared to be append-only");
    }
    Object[] values = new Object[args.length];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          row.isNullAt(args[i]) ? null : InternalRow.copyValue(row.get(args[i], types.get(i)));
    }
    function.update(buffer, new GenericInternalRow(values));
  }

  @Override
  void write(ByteWriter out) {
    byte[] bytes = function.write(buffer);
    out.putVarLong(bytes.length);
    out.putBytes(bytes, 0, bytes.length);
  }

  @Override
  void read(ByteReader in) {
    buffer = function.read(in.getBytes((int) in.getVarLong()));
  }

  @Override
  Object result() {
    return function.value(function.result(buffer));
  }
}
