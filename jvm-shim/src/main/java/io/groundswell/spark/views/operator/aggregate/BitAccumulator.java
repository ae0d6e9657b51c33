package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/**
 * {@code bit_and}, {@code bit_or}, {@code bit_xor}: in how many of the values each bit is set, so
 * that a value can be taken away.
 */
final class BitAccumulator extends SumAccumulator {
  private final long[] set;

  BitAccumulator(AggregateCall call) {
    super(call);
    this.set = new long[bits(call.type())];
  }

  private static int bits(DataType type) {
    if (type instanceof LongType) {
      return Long.SIZE;
    } else if (type instanceof IntegerType) {
      return Integer.SIZE;
    } else if (type instanceof ShortType) {
      return Short.SIZE;
    } else if (type instanceof ByteType) {
      return Byte.SIZE;
    }
    throw new IllegalArgumentException("bits of " + type.sql());
  }

  @Override
  protected void addValue(SpecializedGetters row, int ordinal, int weight) {
    long value = switch (set.length) {
      case Long.SIZE -> row.getLong(ordinal);
      case Integer.SIZE -> row.getInt(ordinal);
      case Short.SIZE -> row.getShort(ordinal);
      default -> row.getByte(ordinal);
    };
    for (int i = 0; i < set.length; i++) {
      set[i] += (value >>> i & 1) * weight;
    }
  }

  @Override
  protected void writeSums(ByteWriter out) {
    for (long each : set) {
      out.putVarLong(each);
    }
  }

  @Override
  protected void readSums(ByteReader in) {
    for (int i = 0; i < set.length; i++) {
      set[i] += in.getVarLong();
    }
  }

  @Override
  protected Object value() {
    long value = 0;
    for (int i = 0; i < set.length; i++) {
      boolean one = switch (call.function()) {
        case BIT_AND -> set[i] == count;
        case BIT_OR -> set[i] > 0;
        default -> set[i] % 2 != 0;
      };
      value |= one ? 1L << i : 0;
    }
    return switch (set.length) {
      case Long.SIZE -> (Object) value;
      case Integer.SIZE -> (int) value;
      case Short.SIZE -> (short) value;
      default -> (byte) value;
    };
  }
}
