package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import java.util.Arrays;
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
 * <p>State: {@code live}, ordered: time (8 bytes) | stream key → row; the table's watermark ends
 * what was taken back, without a write.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, same key. Rows
 * whose time is null never enter.
 */
final class TemporalFilterOperator implements EventTimeOperator {
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

  TemporalFilterOperator(Spec spec, List<Column> input, List<Column> output) {
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
    UnsafeProjection values = code.select(input, Projections.all(input.size()));
    ChangeBuffer changes = ChangeBuffer.of(inputs.get(0), keys, values, input.size(), counters);
    if (!changes.isKeyed()) {
      throw RowKeys.inconsistent(
          "temporal_filter \"" + state + "\": a stream key changed twice in a barrier");
    }
    return new Delta(
        code, keys, StateTable.ordered(tx, "live", false, counters), changes, counters);
  }

  /** First what the input changes, then what time does. */
  private final class Delta extends ChangeIterator {
    private final RowKeys keys;
    private final StateTable live;
    private final OperatorCounters counters;
    private final Iterator<Map.Entry<UnsafeRow, ChangeBuffer.Change>> changes;
    private final UnsafeProjection old;
    private final UnsafeProjection now;
    private final UnsafeRow row = new UnsafeRow(input.size());
    private final ByteWriter at = new ByteWriter();
    private RowCursor cursor;
    private byte[] last;
    private int expired;

    Delta(Projections code, RowKeys keys, StateTable live, ChangeBuffer changes,
        OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.keys = keys;
      this.live = live;
      this.counters = counters;
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
      if (cursor == null) {
        cursor = live.scan();
      }
      if (expired < limit && live.read(cursor)) {
        Slice value = cursor.value();
        StateTable.point(row, value);
        if (row.getLong(time) < bound) {
          last = cursor.key().copy();
          expired++;
          before = old.apply(row);
          return true;
        }
      }
      end();
      return false;
    }

    private void apply(UnsafeRow keyRow, UnsafeRow was, UnsafeRow is) {
      int hash = keys.hash(keyRow);
      if (was != null && !was.isNullAt(time)) {
        write(was, keyRow);
        if (live.get(hash, at.bytes, at.length) != null) {
          live.delete(hash, at.bytes, at.length);
          before = old.apply(was);
        }
      }
      if (is != null && !is.isNullAt(time) && is.getLong(time) >= bound) {
        write(is, keyRow);
        live.put(hash, at.bytes, at.length, is);
        after = now.apply(is);
      }
      if (before != null && before.equals(after)) {
        before = null;
        after = null;
      }
    }

    private void write(UnsafeRow from, UnsafeRow keyRow) {
      at.clear();
      at.putLong(from.getLong(time) ^ Long.MIN_VALUE);
      at.putBytes(StateTable.bytes(keyRow), StateTable.offset(keyRow), keyRow.getSizeInBytes());
    }

    /** Ends the rows taken back: all up to the last one. */
    private void end() {
      cursor.close();
      if (last != null) {
        live.watermark(Arrays.copyOf(last, last.length + 1));
        counters.stateWrites++;
        last = null;
      }
    }
  }
}
