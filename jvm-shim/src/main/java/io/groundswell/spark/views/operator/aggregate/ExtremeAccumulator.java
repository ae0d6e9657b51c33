package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ValueCodec;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.Mark;
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
  private byte[] stored; // the first one before the barrier, encoded; null if there is none
  private byte[] first; // of those that have come since
  private byte[] gone; // the first of those that have gone; none comes before the stored one

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
    first = first(first, value);
  }

  /** The group does not hold the value any more. */
  void vanished(byte[] value) {
    gone = first(gone, value);
  }

  /** To be called when all changes are in; {@code next} finds the first value that is left. */
  void settle(Supplier<byte[]> next) {
    byte[] found = first();
    boolean asks = gone != null && !FastPath.STORED_EXTREME.isOpen();
    if (asks || gone != null && found != null && Arrays.compareUnsigned(gone, found) <= 0) {
      Mark.EXTREME_SOUGHT_ANEW.hit();
      first = next.get();
      stored = null;
    }
  }

  private byte[] first() {
    return first(first, stored);
  }

  private static byte[] first(byte[] left, byte[] right) {
    if (left == null || right == null) {
      return left == null ? right : left;
    }
    return Arrays.compareUnsigned(left, right) <= 0 ? left : right;
  }

  @Override
  void write(ByteWriter out) {
    byte[] value = first();
    out.putVarLong(value == null ? -1 : value.length);
    if (value != null) {
      out.putBytes(value, 0, value.length);
    }
  }

  @Override
  void read(ByteReader in) {
    int length = (int) in.getVarLong();
    stored = length < 0 ? null : in.getBytes(length);
  }

  @Override
  Object result() {
    byte[] value = first();
    return value == null ? null : ValueEncoding.decode(codec, descending, value);
  }
}
