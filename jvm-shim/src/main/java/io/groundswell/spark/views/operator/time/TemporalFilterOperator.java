package io.groundswell.spark.views.operator.time;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Spec;
import io.groundswell.spark.views.operator.spi.Watermarks;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows whose time is not too long ago: {@code Δ = ΔX in time - rows that are too old now}. A row
 * enters while its condition holds at the barrier's clock, and is taken back at the first barrier
 * at which it does not, or later: a barrier takes back so many rows at most, the oldest first.
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

  /** Rows with a smaller time are too old. */
  private long bound = Long.MIN_VALUE;

  public TemporalFilterOperator(Spec spec, List<Column> input, List<Column> output) {
    this.state = spec.text("state");
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = spec.positions("key", input);
    this.kept = spec.positions(output, input);
    this.time = spec.position("time", input);
    this.offset = spec.json().path("offset").asLong();
    this.inclusive = spec.flag("inclusive");
    this.limit = spec.number("limit");
    RowKeys.check(spec, input, key);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (watermarks.clock() != null) {
      bound = watermarks.clock() + offset + (inclusive ? 0 : 1);
    }
    return watermarks.clock() != null;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    ChangeBuffer changes = ChangeBuffer.keyed(inputs.get(0), keys, code, input, counters,
        "temporal_filter \"" + state + "\": a stream key changed twice in a barrier");
    TimeOrderedRows live = new TimeOrderedRows(tx, input.size(), keys.width(), counters);
    return new Delta(code, keys, live, changes, counters);
  }

  /** First what the input changes, then what time does. */
  private final class Delta extends ChangeIterator {
    private final RowKeys keys;
    private final TimeOrderedRows live;
    private final Iterator<Map.Entry<UnsafeRow, ChangeBuffer.Change>> changes;
    private final UnsafeProjection old;
    private final UnsafeProjection now;
    private int expired;

    Delta(Projections code, RowKeys keys, TimeOrderedRows live, ChangeBuffer changes,
        OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.keys = keys;
      this.live = live;
      this.changes = changes.changes().entrySet().iterator();
      this.old = code.select(input, kept);
      this.now = code.select(input, kept);
    }

    @Override
    protected boolean advance() {
      if (changes.hasNext()) {
        Map.Entry<UnsafeRow, ChangeBuffer.Change> entry = changes.next();
        apply(entry.getKey(), entry.getValue().before(), entry.getValue().after());
        return true;
      }
      if (expired < limit && live.take(bound)) {
        expired++;
        before = old.apply(live.row());
        return true;
      }
      live.end();
      return false;
    }

    private void apply(UnsafeRow keyRow, UnsafeRow was, UnsafeRow is) {
      int hash = keys.hash(keyRow);
      if (was != null && !was.isNullAt(time)) {
        long then = was.getLong(time);
        if (live.holds(hash, then, keyRow)) {
          live.delete(hash, then, keyRow);
          before = old.apply(was);
        }
      }
      if (is != null && !is.isNullAt(time) && is.getLong(time) >= bound) {
        live.put(hash, is.getLong(time), keyRow, is);
        after = now.apply(is);
      }
      dropIfSame();
    }
  }
}
