package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** {@code count(x)}, {@code count(*)}. */
final class CountAccumulators extends Accumulators {
  private long[] counts = {};

  @Override
  void reserve(int groups) {
    counts = Arrays.copyOf(counts, groups);
  }

  @Override
  void add(int group, SpecializedGetters row, int ordinal, int weight) {
    counts[group] += weight;
  }

  @Override
  void addPartial(int group, SpecializedGetters row, int[] parts) {
    counts[group] += row.getLong(parts[0]);
  }

  @Override
  void write(int group, ByteWriter out) {
    out.putVarLong(counts[group]);
  }

  @Override
  void read(int group, ByteReader in) {
    counts[group] += in.getVarLong();
  }

  @Override
  void clear(int group) {
    counts[group] = 0;
  }

  @Override
  void result(int group, InternalRow out, int ordinal) {
    out.setLong(ordinal, counts[group]);
  }
}
