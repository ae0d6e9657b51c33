package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ExactInteger;
import io.groundswell.spark.views.operator.codec.ExactIntegers;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Calls over an exact sum of integers: null until there is a value, and the number of values. */
abstract class ExactSums extends Accumulators {
  protected final AggregateCall call;
  private final ExactIntegers sums = new ExactIntegers();
  private long[] counts = {};

  ExactSums(AggregateCall call) {
    this.call = call;
  }

  /** Adds the value to the group's sum. */
  protected abstract void addValue(
      ExactIntegers sums, int group, SpecializedGetters row, int ordinal, int weight);

  /** Adds what was folded to the sum; gives the number of values. */
  protected long addFolded(ExactInteger sum, SpecializedGetters row, int[] parts) {
    throw new IllegalStateException(call.function() + " is not folded");
  }

  /** Sets the column to the call's value over so many values, at least one. */
  protected abstract void value(ExactInteger sum, long count, InternalRow out, int ordinal);

  @Override
  final void reserve(int groups) {
    counts = Arrays.copyOf(counts, groups);
    sums.reserve(groups);
  }

  @Override
  final void add(int group, SpecializedGetters row, int ordinal, int weight) {
    counts[group] += weight;
    addValue(sums, group, row, ordinal, weight);
  }

  @Override
  final void addPartial(int group, SpecializedGetters row, int[] parts) {
    ExactInteger sum = sums.get(group);
    counts[group] += addFolded(sum, row, parts);
    sums.set(group, sum);
  }

  @Override
  final void write(int group, ByteWriter out) {
    out.putVarLong(counts[group]);
    sums.get(group).write(out);
  }

  @Override
  final void read(int group, ByteReader in) {
    counts[group] += in.getVarLong();
    ExactInteger sum = sums.get(group);
    sum.add(in);
    sums.set(group, sum);
  }

  @Override
  final void clear(int group) {
    counts[group] = 0;
    sums.clear(group);
  }

  @Override
  final void result(int group, InternalRow out, int ordinal) {
    if (counts[group] == 0) {
      out.setNullAt(ordinal);
    } else {
      value(sums.get(group), counts[group], out, ordinal);
    }
  }
}
