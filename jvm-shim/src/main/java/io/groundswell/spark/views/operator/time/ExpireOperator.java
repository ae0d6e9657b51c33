package io.groundswell.spark.views.operator.time;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.Watermarks;
import io.groundswell.spark.views.contract.dataflow.ExpireSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
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
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    ChangeBuffer changes = ChangeBuffer.keyed(inputs.get(0), keys, code, input, counters,
        "expire \"" + state + "\": a stream key changed twice in a barrier");
    return new Delta(code, keys, tx, changes, counters);
  }

  /** First what is too old, then what the input changes. */
  private final class Delta extends ChangeIterator {
    private final long bound = clock - life;
    private final RowKeys keys;
    private final TimeOrderedRows live;
    private final StateTable entered;
    private final ChangeBuffer changed;
    private final Iterator<ChangeBuffer.Change> changes;
    /** Rows that are too old and that the input changes, too: one change of one key. */
    private final Map<UnsafeRow, UnsafeRow> both = new HashMap<>();
    private final UnsafeProjection old;
    private final UnsafeProjection now;
    private final ByteWriter at = new ByteWriter();
    private boolean ended;

    Delta(Projections code, RowKeys keys, Transaction tx, ChangeBuffer changes,
        OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.keys = keys;
      this.live = new TimeOrderedRows(tx, input.size(), keys.width(), counters);
      this.entered = StateTable.hashed(tx, "entered", counters);
      this.changed = changes;
      this.changes = changes.changes().iterator();
      this.old = code.select(input, kept);
      this.now = code.select(input, kept);
    }

    @Override
    protected boolean advance() {
      if (!ended) {
        if (live.take(bound + 1)) {
          ChangeBuffer.Change change = changed.get(live.key());
          if (change == null || change.isNone()) {
            before = old.apply(live.row());
          } else {
            both.put(live.key().copy(), live.row().copy());
          }
          return true;
        }
        expired();
      }
      if (!changes.hasNext()) {
        return false;
      }
      ChangeBuffer.Change change = changes.next();
      apply(change.key(), change.before(), change.after());
      return true;
    }

    private long time(Slice slice) {
      return ByteBuffer.wrap(slice.bytes).getLong(slice.offset) ^ Long.MIN_VALUE;
    }

    /** Ends the rows taken back, and the pieces that they came in. */
    private void expired() {
      ended = true;
      if (live.end()) {
        at.clear();
        at.putLong(Math.floorDiv(bound, piece) ^ Long.MIN_VALUE);
        entered.watermark(at.copy(0));
      }
    }

    private void apply(UnsafeRow keyRow, UnsafeRow was, UnsafeRow is) {
      int hash = keys.hash(keyRow);
      UnsafeRow gone = both.get(keyRow);
      if (gone != null) {
        before = old.apply(gone);
      } else if (was != null && remove(hash, keyRow)) {
        before = old.apply(was);
      }
      if (is != null) {
        live.put(hash, clock, keyRow, is);
        TimeOrderedRows.write(at, Math.floorDiv(clock, piece), keyRow);
        byte[] time = ByteBuffer.allocate(Long.BYTES).putLong(clock ^ Long.MIN_VALUE).array();
        entered.put(hash, at.bytes, at.length, time, time.length);
        after = now.apply(is);
      }
      dropIfSame();
    }

    /** Takes a row out; false if it is not there any more. */
    private boolean remove(int hash, UnsafeRow keyRow) {
      long first = Math.floorDiv(bound, piece);
      for (long number = Math.floorDiv(clock, piece); number >= first; number--) {
        TimeOrderedRows.write(at, number, keyRow);
        Slice found = entered.get(hash, at.bytes, at.length);
        if (found != null) {
          long time = time(found);
          if (time <= bound) {
            return false; // its piece has not ended with it
          }
          entered.delete(hash, at.bytes, at.length);
          live.delete(hash, time, keyRow);
          return true;
        }
      }
      return false;
    }
  }
}
