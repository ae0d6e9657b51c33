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

  /** Adds what was written before to what has come since. */
  abstract void read(ByteReader in);

  /** The call's value, as Spark holds it in a row, or null. */
  abstract Object result();
}
