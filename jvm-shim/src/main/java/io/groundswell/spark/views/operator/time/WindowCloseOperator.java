package io.groundswell.spark.views.operator.time;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.WindowCloseSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
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
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.storage.Mark;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Holds rows back until the watermark has passed them: {@code pending' = pending + Δ}, of which the
 * rows below the bound leave, each once, as inserts.
 *
 * <p>State: {@code pending}, ordered: time (8 bytes) | stream key → row. A barrier scans what it
 * gives away; the table's watermark then ends these rows without a write.
 *
 * <p>Takes inserts, deletes and updates, keyed, of rows that the watermark has not passed; gives
 * inserts. Rows whose time is null wait for ever.
 */
public final class WindowCloseOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final List<Column> input;
  private final int[] key;
  private final int[] kept;
  private final List<Column> output;
  private final TimeBound time;

  public WindowCloseOperator(
      WindowCloseSpec spec, List<Column> input, List<Column> output, CallResolver expressions) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = refs.positions(spec.key(), input);
    this.kept = refs.positionsOf(output, input);
    this.time = TimeBound.of(spec.watermark(), refs, input, expressions);
    RowKeys.check(refs, input, key);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    return time.prepare(watermarks);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    StateTable pending = StateTable.ordered(tx, "pending", false, counters);
    KeyedChanges.each(inputs.get(0), input, key, Projections.all(input.size()), counters,
        pass -> apply(pass, pending));
    return new Closed(code, pending, keys, counters);
  }

  private void apply(KeyedChanges.Pass pass, StateTable pending) {
    RowKeys keys = pass.keys();
    ByteWriter at = new ByteWriter();
    for (ChangeBuffer.Change change : pass.changes().changes()) {
      if (change.deletesMore() || change.insertsMore()) {
        throw RowKeys.inconsistent("window_close \"" + state
            + "\": a stream key changed twice in a barrier, " + keys.text(change.key()));
      }
      UnsafeRow before = change.before();
      UnsafeRow after = change.after();
      boolean moved = before != null && (after == null || time.value(before) != time.value(after));
      if (moved) {
        Mark.PENDING_ROW_MOVES.hit();
        write(before, change.key(), at);
        pending.delete(keys.hash(change.key()), at.bytes, at.length);
      }
      if (after != null) {
        write(after, change.key(), at);
        pending.put(keys.hash(change.key()), at.bytes, at.length, after);
      }
    }
  }

  private void write(UnsafeRow row, UnsafeRow keyRow, ByteWriter out) {
    out.clear();
    time.write(row, out);
    out.putBytes(StateTable.bytes(keyRow), StateTable.offset(keyRow), keyRow.getSizeInBytes());
  }

  /** The rows that the watermark has passed, in the order of their times. */
  private final class Closed extends ChangeIterator {
    private final StateTable pending;
    private final OperatorCounters counters;
    private final UnsafeProjection columns;
    private final UnsafeRow row = new UnsafeRow(input.size());
    private RowCursor cursor;

    Closed(Projections code, StateTable pending, RowKeys keys, OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.pending = pending;
      this.counters = counters;
      this.columns = code.select(input, kept);
      this.cursor = time.bound() == Long.MIN_VALUE ? null : pending.scan();
    }

    @Override
    protected boolean advance() {
      if (cursor != null && pending.read(cursor)) {
        Slice value = cursor.value();
        row.pointTo(value.bytes, Platform.BYTE_ARRAY_OFFSET + value.offset, value.length);
        if (time.value(row) < time.bound()) {
          after = columns.apply(row);
          return true;
        }
      }
      if (cursor != null) {
        cursor.close();
        cursor = null;
        counters.stateWrites += time.clean(pending) ? 1 : 0;
      }
      return false;
    }
  }
}
