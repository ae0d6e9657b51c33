package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import java.util.Arrays;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** A call that has an {@link Accumulator} of its own in each group, made when it is needed. */
final class AccumulatorObjects extends Accumulators {
  private final Supplier<Accumulator> make;
  private Accumulator[] made;

  /** Makes one at once: it refuses what is not supported. */
  AccumulatorObjects(Supplier<Accumulator> make) {
    this.make = make;
    this.made = new Accumulator[] {make.get()};
  }

  Accumulator of(int group) {
    if (made[group] == null) {
      made[group] = make.get();
    }
    return made[group];
  }

  @Override
  void reserve(int groups) {
    made = Arrays.copyOf(made, groups);
  }

  @Override
  void add(int group, SpecializedGetters row, int ordinal, int weight) {
    of(group).add(row, ordinal, weight);
  }

  @Override
  void addPartial(int group, SpecializedGetters row, int[] parts) {
    of(group).addPartial(row, parts);
  }

  @Override
  void write(int group, ByteWriter out) {
    of(group).write(out);
  }

  @Override
  void read(int group, ByteReader in) {
    of(group).read(in);
  }

  @Override
  void clear(int group) {
    made[group] = null;
  }

  @Override
  void result(int group, InternalRow out, int ordinal) {
    out.update(ordinal, of(group).result());
  }
}
