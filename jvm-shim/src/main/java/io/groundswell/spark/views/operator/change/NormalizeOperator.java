package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.Watermarks;
import io.groundswell.spark.views.contract.dataflow.NormalizeSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import java.util.ArrayList;
import java.util.Arrays;
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
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    UnsafeProjection values = code.select(input, kept);
    Map<UnsafeRow, Upsert> upserts = last(inputs.get(0), keys, values, counters);
    RowLives lives = life > 0 ? new RowLives(tx, keys, clock, life, counters) : null;
    return new Delta(code, keys, StateTable.hashed(tx, ROWS, counters), lives, upserts, counters);
  }

  /** First the rows that are dead, then what the input changes. */
  private final class Delta extends ChangeIterator {
    private final RowKeys keys;
    private final StateTable rows;
    private final Map<UnsafeRow, Upsert> upserts;
    private final Iterator<Map.Entry<UnsafeRow, Upsert>> rest;
    private final UnsafeRow old = new UnsafeRow(output.size());
    private final RowLives lives;
    private final OperatorCounters counters;
    private boolean dead;

    Delta(Projections code, RowKeys keys, StateTable rows, RowLives lives,
        Map<UnsafeRow, Upsert> upserts, OperatorCounters counters) {
      super(code, Projections.types(output), counters);
      this.keys = keys;
      this.rows = rows;
      this.lives = lives;
      this.counters = counters;
      this.dead = lives != null;
      this.upserts = upserts;
      this.rest = upserts.entrySet().iterator();
    }

    @Override
    protected boolean advance() {
      while (dead) {
        dead = lives.next();
        if (dead && !upserts.containsKey(lives.key())) {
          end(lives.key());
          return true;
        }
      }
      if (!rest.hasNext()) {
        return false;
      }
      Map.Entry<UnsafeRow, Upsert> entry = rest.next();
      apply(entry.getKey(), entry.getValue());
      return true;
    }

    private void end(UnsafeRow keyRow) {
      int hash = keys.hash(keyRow);
      if (rows.get(hash, keyRow, old)) {
        before = old;
        rows.remove(hash, keyRow);
      }
      lives.delete(hash, keyRow);
    }

    private void apply(UnsafeRow keyRow, Upsert upsert) {
      int hash = keys.hash(keyRow);
      boolean present = rows.get(hash, keyRow, old);
      // What is dead is no row to the rule, but one that is to be taken back.
      UnsafeRow kept = present && !(lives != null && lives.isOver(hash, keyRow)) ? old : null;
      UnsafeRow row = rule == null ? upsert.row : rule.apply(kept, upsert.ordered());
      if (lives != null && present && row == null) {
        lives.delete(hash, keyRow);
      } else if (lives != null && row != null && row != kept) {
        lives.write(hash, keyRow);
      }
      if (present ? old.equals(row) : row == null) {
        return;
      }
      if (time != null && present && time.value(old) < time.bound()) {
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

  private Map<UnsafeRow, Upsert> last(Iterator<InternalRow> rows, RowKeys keys,
      UnsafeProjection values, OperatorCounters counters) {
    Map<UnsafeRow, Upsert> upserts = new LinkedHashMap<>();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      UnsafeRow keyRow = keys.of(row);
      counters.rowsIn++;
      Upsert upsert = upserts.get(keyRow);
      if (upsert == null) {
        upsert = new Upsert(position.length);
        upserts.put(keyRow.copy(), upsert);
      } else if (rule == null && !upsert.precedes(row)) {
        continue;
      }
      boolean gone = delete >= 0 && !row.isNullAt(delete) && row.getBoolean(delete);
      if (rule == null) {
        upsert.set(row, gone ? null : values.apply(row).copy());
      } else {
        boolean[] stays =
            unchanged < 0 || row.isNullAt(unchanged) ? null : rule.named(row.getArray(unchanged));
        upsert.keep(row, new UpsertRule.Step(gone, values.apply(row).copy(), stays));
      }
    }
    return upserts;
  }

  /** The latest row of a key so far, null if that deletes it, and its position. */
  private final class Upsert {
    private final long[] at;
    private UnsafeRow row;
    private List<Placed> all;

    Upsert(int parts) {
      this.at = new long[parts];
    }

    boolean precedes(InternalRow next) {
      for (int i = 0; i < at.length; i++) {
        long theirs = part(next, i);
        if (theirs != at[i]) {
          return at[i] < theirs;
        }
      }
      return true;
    }

    void set(InternalRow next, UnsafeRow values) {
      for (int i = 0; i < at.length; i++) {
        at[i] = part(next, i);
      }
      row = values;
    }

    /** Keeps every row, where which is the last does not say it all. */
    void keep(InternalRow next, UpsertRule.Step step) {
      long[] place = new long[at.length];
      for (int i = 0; i < place.length; i++) {
        place[i] = part(next, i);
      }
      if (all == null) {
        all = new ArrayList<>();
      }
      all.add(new Placed(place, step));
    }

    List<UpsertRule.Step> ordered() {
      all.sort((a, b) -> Arrays.compare(a.place, b.place));
      return all.stream().map(Placed::step).toList();
    }

    private long part(InternalRow next, int i) {
      return ((Number) next.get(position[i], input.get(position[i]).type())).longValue();
    }
  }

  private record Placed(long[] place, UpsertRule.Step step) {}
}
