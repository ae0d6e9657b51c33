package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** One aggregate call in one group: its state, changed value by value. Not thread-safe. */
abstract class Accumulator {
  /** Adds a value that is not null if the weight is positive, else takes it away. */
  abstract void add(SpecializedGetters row, int ordinal, int weight);

  /** Adds what a {@link PartialAggregation} gives for the call, at these positions. */
  void addPartial(SpecializedGetters row, int[] parts) {
    throw new IllegalStateException(getClass().getSimpleName() + " has no partial aggregates");
  }

  abstract void write(ByteWriter out);

  abstract void read(ByteReader in);

  /** The call's value, as Spark holds it in a row, or null. */
  abstract Object result();

  /** {@code count(x)}, {@code count(*)}. */
  static final class Count extends Accumulator {
    private long count;

    @Override
    void add(SpecializedGetters row, int ordinal, int weight) {
      count += weight;
    }

    @Override
    void addPartial(SpecializedGetters row, int[] parts) {
      count += row.getLong(parts[0]);
    }

    @Override
    void write(ByteWriter out) {
      out.putVarLong(count);
    }

    @Override
    void read(ByteReader in) {
      count = in.getVarLong();
    }

    @Override
    Object result() {
      return count;
    }
  }
}
