package io.groundswell.spark.views.operator.recursion;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.FixpointSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.recursion.Candidates.Candidate;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.Mark;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;

/**
 * The rows of a recursive query. It takes derivations, each with its level, and settles one level a
 * run: of a key the first derivation counts; with a ranked column the best of the level, if it is
 * better than those of all lower levels; of a bag every derivation.
 *
 * <p>State, by the hash of the key: {@code candidates}: key, level, rank → derivations and rows
 * given, see {@link Candidates}; {@code feed}: key, level of what is made of it, number → value,
 * what the next run of the query reads; {@code rows}: key → value, the result. {@code pending},
 * ordered: level, key, of keys that some later run has to settle; a barrier leaves none.
 *
 * <p>Gives nothing: others read {@code feed} and {@code rows} as they differ between two commits.
 */
public final class FixpointOperator implements LevelOperator {
  private static final long serialVersionUID = 1L;

  public static final String FEED = "feed";
  private static final String CANDIDATES = "candidates";
  private static final String PENDING = "pending";
  private static final String ROWS = "rows";
  private static final byte[] NONE = ResultRows.NOTHING.getBytes();

  private final String state;
  private final List<Column> input;
  private final int[] key;
  private final int level;
  private final ArrayList<OrderEncoding.Key> rank = new ArrayList<>();
  private final boolean bag;
  private final int limit;
  private int settling;

  public FixpointOperator(FixpointSpec spec, List<Column> input) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.key = refs.positions(spec.key(), input);
    this.level = refs.position(spec.level(), input);
    this.bag = spec.bag();
    this.limit = spec.limit();
    rank.addAll(OrderEncoding.keys(spec.rank(), refs, input));
    RowKeys.check(refs, input, key);
    OrderEncoding.check(refs, input, rank);
    if (!input.get(level).type().equals(DataTypes.IntegerType)) {
      throw refs.invalid("needs an integer level");
    }
  }

  @Override
  public void prepare(int next) {
    settling = next;
  }

  @Override
  public int limit() {
    return limit;
  }

  @Override
  public TableMove move(String table) {
    return table.equals(PENDING) ? TableMove.NONE : TableMove.BY_HASH;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    try {
      Run run = new Run(tx, code, counters);
      Passes
          .over(inputs,
              ()
                  -> new Derivations(run),
              new int[] {input.size()}, EngineServices.shared().collected(), counters)
          .hasNext(); // takes all passes: none gives a row
      run.settleDue();
    } finally {
      code.release();
    }
    return Collections.emptyIterator();
  }

  /** One derivation that the run takes, and how often more or less. */
  private record Change(byte[] place, byte[] row, int weight) {}

  /** Derivations of a pass by key; it keeps the keys that it has. */
  private final class Derivations implements Passes.Collector {
    private static final int KEY_OVERHEAD = 200;
    private static final int CHANGE_OVERHEAD = 80;

    private final Map<UnsafeRow, List<Change>> touched = new LinkedHashMap<>();
    private final Run run;

    Derivations(Run run) {
      this.run = run;
    }

    @Override
    public long add(int number, InternalRow row) {
      UnsafeRow of = run.keys.of(row);
      List<Change> own = touched.get(of);
      long held = 0;
      if (own == null) {
        own = new ArrayList<>(2);
        touched.put(of.copy(), own);
        held = KEY_OVERHEAD + of.getSizeInBytes();
      }
      Change change = run.change(row);
      own.add(change);
      return held + CHANGE_OVERHEAD + change.place().length + change.row().length;
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      UnsafeRow of = run.keys.of(row);
      if (touched.containsKey(of)) {
        add(number, row);
      } else {
        parts.add(number, run.keys.hash(of), row.getInt(input.size()), run.whole.apply(row));
      }
    }

    @Override
    public Iterator<InternalRow> changes() {
      touched.forEach(run::settle);
      return Collections.emptyIterator();
    }
  }

  private final class Run {
    private final OperatorCounters counters;
    private final StateTable candidates;
    private final StateTable pending;
    private final StateTable feed;
    private final StateTable rows;
    private final RowKeys keys;
    private final OrderEncoding order;
    private final UnsafeProjection whole;
    private final UnsafeProjection value; // null: there is no ranked column
    private final ResultRows given;
    private final ByteWriter scratch = new ByteWriter();

    Run(Transaction tx, Projections code, OperatorCounters counters) {
      this.counters = counters;
      this.candidates = StateTable.bundled(tx, CANDIDATES, counters);
      this.pending = StateTable.ordered(tx, PENDING, false, counters);
      this.feed = StateTable.bundled(tx, FEED, counters);
      this.rows = StateTable.hashed(tx, ROWS, counters);
      this.keys = new RowKeys(code, input, key);
      this.order = new OrderEncoding(input, rank);
      this.whole = code.select(input, Projections.all(input.size()));
      int[] ranked = rank.stream().mapToInt(OrderEncoding.Key::position).toArray();
      this.value = rank.isEmpty() ? null : code.select(input, ranked);
      DataType[] numbers = {DataTypes.IntegerType, DataTypes.IntegerType};
      this.given = new ResultRows(code.joiner(Projections.types(input, key), numbers));
    }

    /**
     * Settles keys that wait for this level; they no longer do. Those whose derivations came are
     * settled by then, and stay as they are.
     */
    void settleDue() {
      try (RowCursor cursor = pending.scan()) {
        while (pending.read(cursor)) {
          Slice at = cursor.key();
          if (ByteBuffer.wrap(at.bytes, at.offset, Integer.BYTES).getInt() > settling) {
            break;
          }
          byte[] whole = at.copy();
          UnsafeRow of = new UnsafeRow(Math.max(1, key.length));
          of.pointTo(
              whole, Platform.BYTE_ARRAY_OFFSET + Integer.BYTES, whole.length - Integer.BYTES);
          pending.delete(0, whole, whole.length);
          settle(of.copy(), List.of());
        }
      }
      counters.nextLevel = Math.min(counters.nextLevel, firstPending());
    }

    Change change(InternalRow row) {
      scratch.clear();
      scratch.putInt(row.getInt(level));
      order.write(row, scratch);
      byte[] ranked = value == null ? NONE : value.apply(row).copy().getBytes();
      return new Change(scratch.copy(0), ranked, row.getInt(input.size()));
    }

    private long firstPending() {
      try (RowCursor cursor = pending.scan()) {
        return pending.read(cursor)
            ? ByteBuffer.wrap(cursor.key().bytes, cursor.key().offset, Integer.BYTES).getInt()
            : OperatorCounters.NO_LEVEL;
      }
    }

    private void settle(UnsafeRow of, List<Change> changes) {
      int hash = keys.hash(of);
      Candidates found = Candidates.read(candidates, hash, of);
      for (Change change : changes) {
        found.at(change.place(), change.row()).count(change.weight());
      }
      Candidate before = found.lastGiven();
      byte[] shown = before == null ? null : before.row;
      Candidate best = null;
      for (List<Candidate> same : found.levels()) {
        Candidate next = bag ? null : best(same, best);
        boolean settled = true;
        for (Candidate candidate : same) {
          if (candidate.count < 0) {
            throw RowKeys.inconsistent("recursion \"" + state + "\": a row is taken back that was "
                + "not derived: " + keys.text(of) + " at level " + candidate.level());
          }
          settled &= candidate.given == wanted(candidate, next);
        }
        int at = same.get(0).level();
        if (!settled && at > settling) {
          Mark.KEY_WAITS_FOR_ITS_LEVEL.hit();
          wait(at, of);
          break;
        }
        if (!settled) {
          same.forEach(each -> takeBack(hash, of, each, wanted(each, next)));
          same.forEach(each -> give(hash, of, each, wanted(each, next)));
          counters.nextLevel = Math.min(counters.nextLevel, at + 1L);
        }
        best = next == null ? best : next;
      }
      if (!bag) {
        show(hash, of, shown, found.lastGiven());
      }
      found.write(candidates, hash, of, scratch);
    }

    /** The first of a level, if it is better than what lower levels have. */
    private Candidate best(List<Candidate> same, Candidate lower) {
      for (Candidate candidate : same) {
        if (candidate.count > 0) {
          return lower == null || candidate.isBetterThan(lower) ? candidate : null;
        }
      }
      return null;
    }

    private long wanted(Candidate candidate, Candidate next) {
      return bag ? candidate.count : candidate == next ? 1 : 0;
    }

    private void wait(int until, UnsafeRow of) {
      scratch.clear();
      scratch.putInt(until);
      scratch.putBytes(StateTable.bytes(of), StateTable.offset(of), of.getSizeInBytes());
      pending.put(0, scratch.bytes, scratch.length, new byte[] {0}, 1);
    }

    private void takeBack(int hash, UnsafeRow of, Candidate candidate, long wanted) {
      for (; candidate.given > wanted; candidate.give(candidate.given - 1)) {
        UnsafeRow at = given.key(of, candidate.level() + 1, candidate.given - 1);
        counters.rowsOut++;
        feed.delete(hash, at);
        if (bag) {
          rows.delete(hash, at);
        }
      }
    }

    private void give(int hash, UnsafeRow of, Candidate candidate, long wanted) {
      for (; candidate.given < wanted; candidate.give(candidate.given + 1)) {
        UnsafeRow at = given.key(of, candidate.level() + 1, candidate.given);
        counters.rowsOut++;
        feed.put(hash, at, given.row(candidate.row));
        if (bag) {
          rows.put(hash, at, given.row(candidate.row));
        }
      }
    }

    private void show(int hash, UnsafeRow of, byte[] shown, Candidate last) {
      if (last == null && shown != null) {
        Mark.ROW_IS_DERIVED_NO_MORE.hit();
        rows.delete(hash, of);
      } else if (last != null && (shown == null || !Arrays.equals(shown, last.row))) {
        rows.put(hash, of, given.row(last.row));
      }
    }
  }
}
