package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.part.IntervalSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import java.io.Serializable;
import java.util.List;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * One side of an interval join, cut into time buckets: the keys of its rows begin with the number
 * of their bucket, so that a changed row of the other side meets only the buckets that it can
 * match, and one watermark ends the buckets that nothing can match any more. Rows without a time
 * match nothing: they stand in a bucket before all others, and go with the first that is ended.
 */
final class TimeBuckets implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int own;
  private final int other;
  private final long low;
  private final long high;
  private final long length;

  /** Rows with an earlier time match nothing that may still come; null: nothing is known. */
  private final TimeBound bound;

  private TimeBuckets(int own, int other, long low, long high, long length, TimeBound bound) {
    this.own = own;
    this.other = other;
    this.low = low;
    this.high = high;
    this.length = length;
    this.bound = bound;
  }

  /** Of the left side, the first of the inputs; null if no times must be near. */
  static TimeBuckets ofLeft(
      IntervalSpec spec, Refs refs, List<List<Column>> inputs, CallResolver expressions) {
    return spec == null ? null
                        : of(spec, true, refs, inputs,
                              TimeBound.of(spec.leftBound(), refs, inputs.get(0), expressions));
  }

  /** The same of the right side. */
  static TimeBuckets ofRight(
      IntervalSpec spec, Refs refs, List<List<Column>> inputs, CallResolver expressions) {
    return spec == null ? null
                        : of(spec, false, refs, inputs,
                              TimeBound.of(spec.rightBound(), refs, inputs.get(1), expressions));
  }

  private static TimeBuckets of(
      IntervalSpec spec, boolean isLeft, Refs refs, List<List<Column>> inputs, TimeBound bound) {
    if (spec.low() > spec.high() || spec.piece() <= 0) {
      throw refs.invalid("has an interval that is none");
    }
    int left = refs.position(spec.left(), inputs.get(0));
    int right = refs.position(spec.right(), inputs.get(1));
    return new TimeBuckets(isLeft ? left : right, isLeft ? right : left,
        isLeft ? -spec.high() : spec.low(), isLeft ? -spec.low() : spec.high(), spec.piece(),
        bound);
  }

  void prepare(Watermarks watermarks) {
    if (bound != null) {
      bound.prepare(watermarks);
    }
  }

  /** The bucket that a row is in. */
  long of(InternalRow row) {
    return row.isNullAt(own) ? Long.MIN_VALUE : Math.floorDiv(row.getLong(own), length);
  }

  /** Whether the time of a row is near enough to that of one of the other side. */
  boolean match(InternalRow row, InternalRow opposite) {
    if (row.isNullAt(own) || opposite.isNullAt(other)) {
      return false;
    }
    long distance = row.getLong(own) - opposite.getLong(other);
    return low <= distance && distance <= high;
  }

  /** The buckets that hold all matches of changed rows of the other side, ascending. */
  long[] around(List<ChangeBuffer.Change> changes) {
    TreeSet<Long> buckets = new TreeSet<>();
    for (ChangeBuffer.Change change : changes) {
      add(change.before(), buckets);
      add(change.after(), buckets);
    }
    return buckets.stream().mapToLong(Long::longValue).toArray();
  }

  private void add(UnsafeRow row, TreeSet<Long> buckets) {
    if (row != null && !row.isNullAt(other)) {
      long time = row.getLong(other);
      long last = Math.floorDiv(time + high, length);
      for (long bucket = Math.floorDiv(time + low, length); bucket <= last; bucket++) {
        buckets.add(bucket);
      }
    }
  }

  /** Ends the buckets below the bound. */
  void clean(StateTable table) {
    if (bound != null && bound.bound() != Long.MIN_VALUE) {
      ByteWriter key = new ByteWriter();
      key.putLong(Math.floorDiv(bound.bound(), length) ^ Long.MIN_VALUE);
      table.watermark(key.copy(0));
    }
  }
}
