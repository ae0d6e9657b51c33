package io.groundswell.spark.views.operator.change;

import com.google.common.collect.Iterators;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.NormalizeSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.storage.Mark;
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

/**
 * Makes upserts a changelog: {@code Δ = what the barrier's rows make of the row kept - row kept},
 * by key. A row overwrites, unless the source says otherwise: the first row stays, or only values
 * that are not null are written; with a version column, rows older than the row kept do nothing.
 * A row may name columns that stay as they are in the row kept, if there is one.
 * With a life, a row goes so long after it was last written, be it as it was.
 * With a watermark, a row that it has passed stays as it is: what would change it came too late,
 * and is counted as a contradiction.
 *
 * <p>State: {@code rows}, by the hash of the key: key → the output columns; {@link RowLives}.
 *
 * <p>Takes inserts, each an upsert, or a delete if its delete flag is true (of a key that is not
 * there: nothing happens); within a barrier the row with the greatest position wins, without
 * positions the last to come. Gives inserts, deletes and updates.
 */
public final class NormalizeOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;
  static final String ROWS = "rows";

  /** Bytes of a key, and of one of several rows, beside their own: objects and maps. */
  private static final int KEY_OVERHEAD = 200;

  private static final int ROW_OVERHEAD = 80;

  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final int[] position;
  private final int delete;
  private final int unchanged;
  private final UpsertRule rule;

  /** In microseconds; 0: rows live for ever. */
  private final long life;

  /** On the time of the rows kept; null: they have no watermark. */
  private final TimeBound time;

  private long clock;

  public NormalizeOperator(
      NormalizeSpec spec, List<Column> input, List<Column> output, CallResolver calls) {
    Refs refs = new Refs(spec);
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = refs.positions(spec.key(), input);
    this.kept = refs.positionsOf(output, input);
    this.position = refs.positions(spec.position(), input);
    this.delete = refs.positionOrNone(spec.delete(), input);
    this.unchanged = refs.positionOrNone(spec.unchanged(), input);
    this.rule = UpsertRule.of(spec, refs, output);
    this.life = spec.life();
    this.time = TimeBound.of(spec.watermark(), refs, output, calls);
    RowKeys.check(refs, input, key);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (life > 0) {
      clock = watermarks.clock();
    }
    if (time != null) {
      time.prepare(watermarks);
    }
    return life > 0;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    StateTable rows = StateTable.hashed(tx, ROWS, counters);
    RowLives lives = null;
    Iterator<InternalRow> dead = Collections.emptyIterator();
    if (life > 0) {
      Projections code = new Projections();
      lives = new RowLives(tx, new RowKeys(code, input, key), clock, life, counters);
      dead = new Dead(code, rows, lives, counters);
    }
    RowLives living = lives;
    Iterator<InternalRow> changed = Passes.over(inputs,
        ()
            -> new Upserts(rows, living, counters),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
    return Iterators.concat(changed, dead);
  }

  /** The rows that are dead once all upserts are in: those that came are no longer. */
  private final class Dead extends ChangeIterator {
    private final StateTable rows;
    private final RowLives lives;
    private final UnsafeRow old = new UnsafeRow(output.size());

    Dead(Projections code, StateTable rows, RowLives lives, OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.rows = rows;
      this.lives = lives;
    }

    @Override
    protected boolean advance() {
      if (!lives.next()) {
        return false;
      }
      UnsafeRow keyRow = lives.key();
      int hash = lives.hash();
      if (rows.get(hash, keyRow, old)) {
        before = old;
        rows.remove(hash, keyRow);
      }
      lives.delete(hash, keyRow);
      return true;
    }
  }

  /** What the input changes. */
  private final class Delta extends ChangeIterator {
    private final RowKeys keys;
    private final StateTable rows;
    private final UnsafeProjection values;
    private final Iterator<Map.Entry<UnsafeRow, Upsert>> rest;
    private final UnsafeRow old = new UnsafeRow(output.size());
    private final RowLives lives;
    private final OperatorCounters counters;

    Delta(Projections code, RowKeys keys, UnsafeProjection values, StateTable rows, RowLives lives,
        Map<UnsafeRow, Upsert> upserts, OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.values = values;
      this.keys = keys;
      this.rows = rows;
      this.lives = lives;
      this.counters = counters;
      this.rest = upserts.entrySet().iterator();
    }

    @Override
    protected boolean advance() {
      if (!rest.hasNext()) {
        return false;
      }
      Map.Entry<UnsafeRow, Upsert> entry = rest.next();
      apply(entry.getKey(), entry.getValue());
      return true;
    }

    private UnsafeRow value(UnsafeRow given) {
      return isDelete(given) ? null : values.apply(given);
    }

    private void apply(UnsafeRow keyRow, Upsert upsert) {
      int hash = keys.hash(keyRow);
      boolean present = rows.get(hash, keyRow, old);
      // What is dead is no row to the rule, but one that is to be taken back.
      UnsafeRow kept = present && !(lives != null && lives.isOver(hash, keyRow)) ? old : null;
      Mark.DEAD_KEY_COMES_BACK.hitIf(present && kept == null);
      UnsafeRow row = rule == null ? value(upsert.row) : rule.apply(kept, upsert.ordered(values));
      if (lives != null && present && row == null) {
        lives.delete(hash, keyRow);
      } else if (lives != null && row != null && row != kept) {
        lives.write(hash, keyRow);
      }
      if (present ? old.equals(row) : row == null) {
        return;
      }
      if (time != null && present && time.value(old) < time.bound()) {
        Mark.UPSERT_COMES_TOO_LATE.hit();
        counters.contradictions++;
        return;
      }
      if (row == null) {
        rows.delete(hash, keyRow);
      } else {
        rows.put(hash, keyRow, row);
      }
      before = present ? old : null;
      after = row;
    }
  }

  private boolean isDelete(UnsafeRow given) {
    return delete >= 0 && !given.isNullAt(delete) && given.getBoolean(delete);
  }

  /** What came of each key: the latest row, or all of them where the latest does not say it all. */
  private final class Upserts implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowKeys keys = new RowKeys(code, input, key);
    private final UnsafeProjection whole = code.select(input, Projections.all(input.size()));
    private final Map<UnsafeRow, Upsert> upserts = new LinkedHashMap<>();
    private final StateTable rows;
    private final RowLives lives;
    private final OperatorCounters counters;

    /**
     * @param lives null: rows live for ever
     */
    Upserts(StateTable rows, RowLives lives, OperatorCounters counters) {
      this.rows = rows;
      this.lives = lives;
      this.counters = counters;
    }

    @Override
    public long add(int number, InternalRow row) {
      UnsafeRow keyRow = keys.of(row);
      Upsert upsert = upserts.get(keyRow);
      long held = 0;
      if (upsert == null) {
        upsert = new Upsert();
        upserts.put(keyRow.copy(), upsert);
        held = KEY_OVERHEAD + keyRow.getSizeInBytes();
      } else if (rule == null && !upsert.precedes(row)) {
        return 0;
      }
      UnsafeRow given = whole.apply(row).copy();
      long before = upsert.row == null ? 0 : upsert.row.getSizeInBytes();
      if (rule == null) {
        upsert.row = given;
        return held + given.getSizeInBytes() - before;
      }
      upsert.keep(given);
      return held + given.getSizeInBytes() + ROW_OVERHEAD;
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      parts.add(0, keys.hash(keys.of(row)), 1, whole.apply(row));
    }

    @Override
    public void moveAll(Passes.Target parts) {
      upserts.forEach((keyRow, upsert) -> {
        int hash = keys.hash(keyRow);
        if (upsert.row != null) {
          parts.add(0, hash, 1, upsert.row);
        }
        upsert.all.forEach(row -> parts.add(0, hash, 1, row));
      });
      upserts.clear();
    }

    @Override
    public Iterator<InternalRow> changes() {
      return new Delta(code, keys, code.select(input, kept), rows, lives, upserts, counters);
    }
  }

  /** The latest row of a key so far, or all of them, as they came. */
  private final class Upsert {
    private UnsafeRow row;
    private List<UnsafeRow> all = List.of();

    boolean precedes(InternalRow next) {
      for (int i = 0; i < position.length; i++) {
        long mine = part(row, i);
        long theirs = part(next, i);
        if (theirs != mine) {
          return mine < theirs;
        }
      }
      return true;
    }

    void keep(UnsafeRow given) {
      all = all.isEmpty() ? new ArrayList<>(2) : all;
      all.add(given);
    }

    /** All of them, by their place, as the rule wants them. */
    List<UpsertRule.Step> ordered(UnsafeProjection values) {
      List<Placed> placed = new ArrayList<>(all.size());
      for (UnsafeRow given : all) {
        long[] place = new long[position.length];
        for (int i = 0; i < place.length; i++) {
          place[i] = part(given, i);
        }
        boolean[] stays = unchanged < 0 || given.isNullAt(unchanged)
            ? null
            : rule.named(given.getArray(unchanged));
        placed.add(new Placed(
            place, new UpsertRule.Step(isDelete(given), values.apply(given).copy(), stays)));
      }
      placed.sort((a, b) -> Arrays.compare(a.place, b.place));
      return placed.stream().map(Placed::step).toList();
    }

    private long part(InternalRow next, int i) {
      return ((Number) next.get(position[i], input.get(position[i]).type())).longValue();
    }
  }

  private record Placed(long[] place, UpsertRule.Step step) {}
}
