package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.part.UnreadRowsSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Refs;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows of a state that the filter above leaves out, such as deletes: the first row of a partition,
 * or a group. One must stay as long as a row may come that counts less than it. None comes when the
 * watermark has passed its time, so then it ends. Nothing is given for that: no one has read it.
 *
 * <p>State: {@link TimeOrderedRows} of keys: time | partition or group. An entry stays where
 * another row takes the place of its own, until the watermark passes.
 */
public final class UnreadRows implements Serializable {
  private static final long serialVersionUID = 1L;

  private final TimeBound time;
  private final ArrayList<Expression> shown = new ArrayList<>();

  private UnreadRows(TimeBound time) {
    this.time = time;
  }

  /**
   * What an operator says of them; null: each row stays until another one replaces it.
   *
   * @param timed the columns of the rows, as the watermark calls them
   * @param shown the same columns, as the conditions call them
   */
  public static UnreadRows of(UnreadRowsSpec spec, Refs refs, List<Column> timed,
      List<Column> shown, CallResolver expressions) {
    if (spec == null) {
      return null;
    }
    UnreadRows made = new UnreadRows(TimeBound.of(spec.watermark(), refs, timed, expressions));
    spec.shown().forEach(id -> made.shown.add(expressions.condition(id, shown)));
    return made;
  }

  public boolean prepare(Watermarks watermarks) {
    return time.prepare(watermarks);
  }

  public InState in(Transaction tx, int partitionColumns, OperatorCounters counters) {
    return new InState(TimeOrderedRows.ofKeys(tx, partitionColumns, counters));
  }

  /** Those of one partition of the state. */
  public final class InState {
    private final TimeOrderedRows live;

    private InState(TimeOrderedRows live) {
      this.live = live;
    }

    /** Notes the row of a partition or group, if no one reads it. */
    public void note(int hash, UnsafeRow partition, InternalRow row) {
      if (isUnread(row)) {
        live.put(hash, time.value(row), partition);
      }
    }

    /** Takes the next partition that had such a row below the watermark; false: there is none. */
    public boolean take() {
      boolean taken = time.bound() != Long.MIN_VALUE && live.take(time.bound());
      if (!taken) {
        live.end();
      }
      return taken;
    }

    /** The partition taken last; reused. */
    public UnsafeRow partition() {
      return live.key();
    }

    public boolean isPassed(InternalRow row) {
      return isUnread(row) && time.value(row) < time.bound();
    }

    private boolean isUnread(InternalRow row) {
      return !shown.stream().allMatch(condition -> Boolean.TRUE.equals(condition.eval(row)));
    }
  }
}
