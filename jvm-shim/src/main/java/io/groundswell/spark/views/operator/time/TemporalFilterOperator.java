package io.groundswell.spark.views.operator.time;

import com.google.common.collect.Iterators;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.TemporalFilterSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import io.groundswell.storage.Mark;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows whose time is not too long ago: {@code Δ = ΔX in time - rows that are too old now}. A row
 * enters while its condition holds at the barrier's clock, and is taken back at the first barrier
 * at which it does not, or later: a barrier takes back so many rows at most, the oldest first. Or
 * the other way round, {@code begins}: a row enters when its time is long enough ago, and stays.
 *
 * <p>State: {@link TimeOrderedRows}.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, same key. Rows
 * whose time is null never enter.
 */
public final class TemporalFilterOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final int time;
  private final long offset;
  private final boolean inclusive;
  private final int limit;

  /** Whether rows wait until the clock has reached them, and do not go when it has. */
  private final boolean begins;

  /** What of the clock rows are compared with; null: the clock. */
  private final transient Expression made;

  /** Rows with a smaller time are too old, or have begun. */
  private long bound = Long.MIN_VALUE;

  public TemporalFilterOperator(
      TemporalFilterSpec spec, List<Column> input, List<Column> output, CallResolver expressions) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = refs.positions(spec.key(), input);
    this.kept = refs.positionsOf(output, input);
    this.time = refs.position(spec.time(), input);
    this.offset = spec.offset();
    this.inclusive = spec.inclusive();
    this.limit = spec.limit();
    this.begins = spec.begins();
    String of = spec.made();
    this.made = of == null ? null : expressions.expression(of);
    RowKeys.check(refs, input, key);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (watermarks.clock() != null) {
      Object clock = made == null ? watermarks.clock() : TimeBound.eval(made, watermarks.clock());
      // the first time that holds still, or does not yet
      bound = (Long) clock + offset + (inclusive == begins ? 1 : 0);
    }
    return watermarks.clock() != null;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    TimeOrderedRows live = new TimeOrderedRows(tx, input.size(), key.length, counters);
    Iterator<InternalRow> changed =
        KeyedChanges.over(inputs.get(0), input, key, Projections.all(input.size()), counters,
            pass
            -> new Changed(pass.keyed("temporal_filter \"" + state
                               + "\": a stream key changed twice in a barrier"),
                live, counters));
    return Iterators.concat(changed, new Passed(new Projections(), live, counters));
  }

  /** What time does. */
  private final class Passed extends ChangeIterator {
    private final TimeOrderedRows live;
    private final UnsafeProjection columns;
    private int expired;

    Passed(Projections code, TimeOrderedRows live, OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.live = live;
      this.columns = code.select(input, kept);
    }

    @Override
    protected boolean advance() {
      if (expired < limit && live.take(bound)) {
        expired++;
        if (begins) {
          after = columns.apply(live.row());
        } else {
          before = columns.apply(live.row());
        }
        return true;
      }
      Mark.PASSED_ROWS_ARE_MANY.hitIf(expired == limit);
      live.end();
      return false;
    }
  }

  /** What the input changes. */
  private final class Changed extends ChangeIterator {
    private final RowKeys keys;
    private final TimeOrderedRows live;
    private final Iterator<ChangeBuffer.Change> changes;
    private final UnsafeProjection old;
    private final UnsafeProjection now;

    Changed(KeyedChanges.Pass pass, TimeOrderedRows live, OperatorCounters counters) {
      super(pass.code(), Projections.types(output), counters);
      this.keys = pass.keys();
      this.live = live;
      this.changes = pass.changes().changes().iterator();
      this.old = pass.code().select(input, kept);
      this.now = pass.code().select(input, kept);
    }

    @Override
    protected boolean advance() {
      if (!changes.hasNext()) {
        return false;
      }
      ChangeBuffer.Change change = changes.next();
      apply(change.key(), change.before(), change.after());
      return true;
    }

    private void apply(UnsafeRow keyRow, UnsafeRow was, UnsafeRow is) {
      int hash = keys.hash(keyRow);
      if (was != null && !was.isNullAt(time)) {
        long then = was.getLong(time);
        boolean held = live.holds(hash, then, keyRow);
        if (held) {
          live.delete(hash, then, keyRow);
        }
        if (held != begins) {
          before = old.apply(was);
        }
      }
      if (is != null && !is.isNullAt(time)) {
        boolean holds = is.getLong(time) >= bound;
        if (holds) {
          live.put(hash, is.getLong(time), keyRow, is);
        }
        if (holds != begins) {
          after = now.apply(is);
        }
      }
      dropIfSame();
    }
  }
}
