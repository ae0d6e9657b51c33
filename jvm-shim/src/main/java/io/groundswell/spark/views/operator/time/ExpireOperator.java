package io.groundswell.spark.views.operator.time;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.ExpireSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowMap;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import io.groundswell.storage.Mark;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Rows that are so old at most, by the barrier's clock: {@code Δ = ΔX - rows that came, or changed
 * last, too long ago}. A row that expired and is changed later comes back as the new row.
 *
 * <p>State: {@link TimeOrderedRows}, by the time that a row came. {@code entered}:
 * number of the piece of time that it came in (8 bytes) | stream key → that time; a piece is an
 * eighth of the longest life, so a change asks for its row under nine or ten keys, most of which
 * the filters know to be absent. The watermarks of both tables end what expired: no tombstones.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives the same, same key.
 */
public final class ExpireOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;
  private static final int PIECES = 8;

  private final String state;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final long life;
  private final long piece;
  private long clock = Long.MIN_VALUE;

  public ExpireOperator(ExpireSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = refs.positions(spec.key(), input);
    this.kept = refs.positionsOf(output, input);
    this.life = spec.life();
    this.piece = Math.max(1, life / PIECES);
    if (life <= 0) {
      throw refs.invalid("needs a life in microseconds");
    }
    RowKeys.check(refs, input, key);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (watermarks.clock() != null) {
      clock = watermarks.clock();
    }
    return watermarks.clock() != null;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    if (clock == Long.MIN_VALUE) {
      throw new IllegalStateException("expire \"" + state + "\" was told no time");
    }
    TimeOrderedRows live = new TimeOrderedRows(tx, input.size(), key.length, counters);
    StateTable entered = StateTable.hashed(tx, "entered", counters);
    return Passes.over(List.of(inputs.get(0), new Expired(live, entered)),
        ()
            -> new Collected(live, entered, counters),
        new int[] {input.size(), input.size()}, EngineServices.shared().collected(), counters);
  }

  /** The time of the newest rows that are too old. */
  private long bound() {
    return clock - life;
  }

  /** The rows that are too old, with weight -1; at their end, ends them in the state. */
  private final class Expired implements Iterator<InternalRow> {
    private final TimeOrderedRows live;
    private final StateTable entered;
    private final UnsafeRow weight = new UnsafeRow(1);
    private final JoinedRow row = new JoinedRow();
    private boolean taken;
    private boolean ended;

    Expired(TimeOrderedRows live, StateTable entered) {
      this.live = live;
      this.entered = entered;
      weight.pointTo(new byte[16], 16);
      weight.setInt(0, -1);
    }

    @Override
    public boolean hasNext() {
      if (!taken && !ended) {
        taken = live.take(bound() + 1);
        if (!taken) {
          end();
        }
      }
      return taken;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      taken = false;
      return row.apply(live.row(), weight);
    }

    /** Ends the rows taken, and the pieces that they came in. */
    private void end() {
      ended = true;
      if (live.end()) {
        ByteWriter at = new ByteWriter();
        at.putLong(Math.floorDiv(bound(), piece) ^ Long.MIN_VALUE);
        entered.watermark(at.copy(0));
      }
    }
  }

  /** A key's row that is too old. */
  private static final class Gone extends RowMap.Entry {
    private UnsafeRow row;
  }

  /** What comes, and what is too old, by stream key: what is both is one change. */
  private final class Collected implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowKeys keys = new RowKeys(code, input, key);
    private final UnsafeProjection values = code.select(input, Projections.all(input.size()));
    private final ChangeBuffer changes = new ChangeBuffer();
    private final RowMap<Gone> gone = new RowMap<>();
    private final TimeOrderedRows live;
    private final StateTable entered;
    private final OperatorCounters counters;

    Collected(TimeOrderedRows live, StateTable entered, OperatorCounters counters) {
      this.live = live;
      this.entered = entered;
      this.counters = counters;
    }

    @Override
    public long add(int from, InternalRow row) {
      UnsafeRow keyRow = keys.of(row);
      UnsafeRow value = values.apply(row);
      if (from == 0) {
        changes.add(keyRow, row.getInt(input.size()), value);
      } else {
        gone.getOrAdd(keyRow, Gone::new).row = value.copy();
      }
      return ChangeBuffer.CHANGE_OVERHEAD + ChangeBuffer.ROW_OVERHEAD + keyRow.getSizeInBytes()
          + value.getSizeInBytes();
    }

    @Override
    public long rows(int from, InternalRow row) {
      return from == 0 ? 1 : 0;
    }

    @Override
    public void move(int from, InternalRow row, Passes.Target parts) {
      UnsafeRow keyRow = keys.of(row);
      if (changes.get(keyRow) != null || gone.get(keyRow) != null) {
        add(from, row);
      } else {
        parts.add(from, keys.hash(keyRow), row.getInt(input.size()), values.apply(row));
      }
    }

    @Override
    public Iterator<InternalRow> changes() {
      if (!changes.isKeyed()) {
        throw RowKeys.inconsistent(
            "expire \"" + state + "\": a stream key changed twice in a barrier");
      }
      return new Delta(this);
    }
  }

  /** First what is too old, then what the input changes. */
  private final class Delta extends ChangeIterator {
    private final Collected of;
    private final Iterator<Gone> gone;
    private final Iterator<ChangeBuffer.Change> changes;
    private final UnsafeProjection old;
    private final UnsafeProjection now;
    private final ByteWriter at = new ByteWriter();

    Delta(Collected of) {
      super(of.code, Projections.types(output), of.counters);
      this.of = of;
      this.gone = of.gone.iterator();
      this.changes = of.changes.changes().iterator();
      this.old = of.code.select(input, kept);
      this.now = of.code.select(input, kept);
    }

    @Override
    protected boolean advance() {
      if (gone.hasNext()) {
        Gone row = gone.next();
        ChangeBuffer.Change change = of.changes.get(row.key());
        if (change == null || change.isNone()) {
          before = old.apply(row.row);
        }
        return true;
      }
      if (!changes.hasNext()) {
        return false;
      }
      ChangeBuffer.Change change = changes.next();
      apply(change.key(), change.before(), change.after());
      return true;
    }

    private static long time(Slice slice) {
      return ByteBuffer.wrap(slice.bytes).getLong(slice.offset) ^ Long.MIN_VALUE;
    }

    private void apply(UnsafeRow keyRow, UnsafeRow was, UnsafeRow is) {
      int hash = of.keys.hash(keyRow);
      Gone both = of.gone.get(keyRow);
      if (both != null && (was != null || is != null)) {
        Mark.EXPIRED_AND_CHANGED.hit();
        before = old.apply(both.row);
      } else if (was != null && remove(hash, keyRow)) {
        before = old.apply(was);
      }
      if (is != null) {
        of.live.put(hash, clock, keyRow, is);
        TimeOrderedRows.write(at, Math.floorDiv(clock, piece), keyRow);
        byte[] time = ByteBuffer.allocate(Long.BYTES).putLong(clock ^ Long.MIN_VALUE).array();
        of.entered.put(hash, at.bytes, at.length, time, time.length);
        after = now.apply(is);
      }
      dropIfSame();
    }

    /** Takes a row out; false if it is not there any more. */
    private boolean remove(int hash, UnsafeRow keyRow) {
      long first = Math.floorDiv(bound(), piece);
      for (long number = Math.floorDiv(clock, piece); number >= first; number--) {
        TimeOrderedRows.write(at, number, keyRow);
        Slice found = of.entered.get(hash, at.bytes, at.length);
        if (found != null) {
          long time = time(found);
          if (time <= bound()) {
            Mark.ENTRY_OUTLIVES_ITS_ROW.hit();
            return false; // its piece has not ended with it
          }
          of.entered.delete(hash, at.bytes, at.length);
          of.live.delete(hash, time, keyRow);
          return true;
        }
      }
      return false;
    }
  }
}
