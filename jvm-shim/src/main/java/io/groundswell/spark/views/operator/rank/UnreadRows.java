package io.groundswell.spark.views.operator.rank;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.FirstRowsSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * First rows that the filter above leaves out, such as deletes. One must stay as long as an older
 * row may come, which would take its place otherwise. No older row comes when the watermark has
 * passed its time, so then it ends. Nothing is given for that: no one has read the row.
 *
 * <p>State: {@link TimeOrderedRows} of keys: time | partition. An entry stays where another row
 * replaces its own, until the watermark passes.
 */
final class UnreadRows implements Serializable {
  private static final long serialVersionUID = 1L;

  private final TimeBound time;
  private final ArrayList<Expression> shown = new ArrayList<>();

  private UnreadRows(TimeBound time) {
    this.time = time;
  }

  /** What an operator says of them; null: each row stays until another one replaces it. */
  static UnreadRows of(
      FirstRowsSpec spec, Refs refs, List<Column> input, CallResolver expressions) {
    if (spec.unread() == null) {
      return null;
    }
    if (spec.limit() != 1 || spec.watermark() != null) {
      throw refs.invalid("ends rows that are not read: it needs a limit of 1, and no watermark");
    }
    UnreadRows made =
        new UnreadRows(TimeBound.of(spec.unread().watermark(), refs, input, expressions));
    spec.unread().shown().forEach(id -> made.shown.add(expressions.condition(id, input)));
    return made;
  }

  boolean prepare(Watermarks watermarks) {
    return time.prepare(watermarks);
  }

  InState in(Transaction tx, int partitionColumns, OperatorCounters counters) {
    return new InState(TimeOrderedRows.ofKeys(tx, partitionColumns, counters));
  }

  /** Those of one partition of the state. */
  final class InState {
    private final TimeOrderedRows live;

    private InState(TimeOrderedRows live) {
      this.live = live;
    }

    /** Notes the first row of a partition, if no one reads it. */
    void note(int hash, UnsafeRow partition, InternalRow row) {
      if (isUnread(row)) {
        live.put(hash, time.value(row), partition);
      }
    }

    /** Takes the next partition that had such a row below the watermark; false: there is none. */
    boolean take() {
      boolean taken = time.bound() != Long.MIN_VALUE && live.take(time.bound());
      if (!taken) {
        live.end();
      }
      return taken;
    }

    /** The partition taken last; reused. */
    UnsafeRow partition() {
      return live.key();
    }

    boolean isPassed(InternalRow row) {
      return isUnread(row) && time.value(row) < time.bound();
    }

    private boolean isUnread(InternalRow row) {
      return !shown.stream().allMatch(condition -> Boolean.TRUE.equals(condition.eval(row)));
    }
  }
}
