package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ValueCodec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The arguments of a call as keys of a {@link ValueMultiset}: bytes in the order of the values,
 * none of them null, or, of {@link #inputs}, whole rows of arguments, nulls last.
 */
final class ValueEncoding {
  private static final int VALUE = 1;
  private static final int NULL = 2;

  private final int[] args;
  private final List<ValueCodec> codecs = new ArrayList<>();
  private final boolean descending;
  private final UnsafeProjection rows; // null: no rows are kept beside the values
  private final boolean exact; // the key has the row's own bytes, too

  private ValueEncoding(AggregateCall call, boolean descending, UnsafeProjection rows) {
    this.args = call.args();
    this.descending = descending;
    this.rows = rows;
    call.types().forEach(
        type -> codecs.add(call.isExtreme() ? ValueCodec.signed(type) : ValueCodec.of(type)));
    boolean ordered = codecs.stream().allMatch(codec -> codec != null);
    if (!ordered) {
      codecs.clear();
    }
    this.exact = rows != null
        && (!ordered || (!call.distinct() && call.types().stream().anyMatch(ValueCodec::folds)));
  }

  /** Values without nulls, largest first if {@code descending}. */
  static ValueEncoding values(AggregateCall call, boolean descending) {
    return new ValueEncoding(call, descending, null);
  }

  /**
   * Rows of arguments, in the order of their values, or of bytes where values have none. Of
   * DISTINCT ones that are equal, as 0.0 and -0.0, one stands for all, as in a key.
   */
  static ValueEncoding inputs(AggregateCall call, Projections code, List<Column> input) {
    UnsafeProjection rows =
        call.distinct() ? code.key(input, call.args()) : code.select(input, call.args());
    return new ValueEncoding(call, false, rows);
  }

  int width() {
    return args.length;
  }

  boolean keepsRows() {
    return rows != null;
  }

  /** The row of arguments, reused by the next call; null if none is kept. */
  UnsafeRow row(InternalRow from) {
    return rows == null ? null : rows.apply(from);
  }

  /** Appends the key; {@code row} is what {@link #row} gave. */
  void write(InternalRow from, UnsafeRow row, ByteWriter out) {
    int start = out.length;
    for (int i = 0; i < codecs.size(); i++) {
      if (rows != null) {
        boolean none = from.isNullAt(args[i]);
        out.putByte(none ? NULL : VALUE);
        if (none) {
          continue;
        }
      }
      codecs.get(i).write(from, args[i], out);
    }
    if (exact) {
      out.putBytes(StateTable.bytes(row), StateTable.offset(row), row.getSizeInBytes());
    }
    if (descending) {
      out.invert(start);
    }
  }

  /** The only value of a key. */
  Object decode(byte[] key) {
    return decode(codecs.get(0), descending, key);
  }

  static Object decode(ValueCodec codec, boolean descending, byte[] key) {
    byte[] ascending = key;
    if (descending) {
      ascending = Arrays.copyOf(key, key.length);
      for (int i = 0; i < key.length; i++) {
        ascending[i] = (byte) ~key[i];
      }
    }
    ByteReader in = new ByteReader();
    in.set(ascending, 0);
    return codec.read(in);
  }
}
