package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ValueCodec;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Arrays;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * {@code min} and {@code max}: the first value of a group in the order of its {@link
 * ValueMultiset}, which tells it what comes and goes. Only when the first value itself goes is the
 * multiset asked for the next one. Where values only come, there is no multiset, and {@link #add}
 * is told of each.
 */
final class ExtremeAccumulator extends Accumulator {
  private final boolean descending;
  private final ValueCodec codec;
  private final ByteWriter scratch;
  private byte[] first; // encoded; null if there is none
  private boolean stale;

  ExtremeAccumulator(AggregateCall call, ByteWriter scratch) {
    this.scratch = scratch;
    this.descending = call.function() == AggregateCall.Function.MAX;
    this.codec = ValueCodec.signed(call.type());
  }

  @Override
  void add(SpecializedGetters row, int ordinal, int weight) {
    if (weight < 0) {
      throw RowKeys.inconsistent(
          "aggregate: a value is taken away, though the input was declared to be append-only");
    }
    scratch.clear();
    codec.write(row, ordinal, scratch);
    if (descending) {
      scratch.invert(0);
    }
    if (first == null
        || Arrays.compareUnsigned(scratch.bytes, 0, scratch.length, first, 0, first.length) < 0) {
      first = scratch.copy(0);
    }
  }

  @Override
  void addPartial(SpecializedGetters row, int[] parts) {
    if (!row.isNullAt(parts[0])) {
      add(row, parts[0], 1);
    }
  }

  /** The group holds the value now, and did not before. */
  void appeared(byte[] value) {
    if (first == null || Arrays.compareUnsigned(value, first) < 0) {
      first = value;
    }
  }

  /** The group does not hold the value any more. */
  void vanished(byte[] value) {
    stale |= Arrays.equals(value, first);
  }

  /** To be called when all changes are in; {@code next} finds the first value that is left. */
  void settle(Supplier<byte[]> next) {
    if (stale) {
      first = next.get();
      stale = false;
    }
  }

  @Override
  void write(ByteWriter out) {
    out.putVarLong(first == null ? -1 : first.length);
    if (first != null) {
      out.putBytes(first, 0, first.length);
    }
  }

  @Override
  void read(ByteReader in) {
    int length = (int) in.getVarLong();
    first = length < 0 ? null : in.getBytes(length);
  }

  @Override
  Object result() {
    return first == null ? null : ValueEncoding.decode(codec, descending, first);
  }
}
