package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/**
 * One aggregate call in all groups of a run. What it keeps of a group stands under the group's
 * number, where it can in arrays that all groups share, so that a group costs no objects. What the
 * state has of a group is added last, when the rows are in. Not thread-safe.
 */
abstract class Accumulators {
  /** Makes room for groups with smaller numbers than this; new ones hold nothing. */
  abstract void reserve(int groups);

  /** Adds a value that is not null if the weight is positive, else takes it away. */
  abstract void add(int group, SpecializedGetters row, int ordinal, int weight);

  /** Adds what a {@link PartialAggregation} gives for the call, at these positions. */
  abstract void addPartial(int group, SpecializedGetters row, int[] parts);

  abstract void write(int group, ByteWriter out);

  /** Adds what was written before to what has come since. */
  abstract void read(int group, ByteReader in);

  /** Forgets what the group holds. */
  abstract void clear(int group);

  /** Sets the column to the call's value, which may be null. */
  abstract void result(int group, InternalRow out, int ordinal);
}
