package io.groundswell.spark.operator;

import io.groundswell.engine.Transaction;
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
 *
 * <p>State: {@code rows}, by the hash of the key: key → the output columns.
 *
 * <p>Takes inserts, each an upsert, or a delete if its delete flag is true (of a key that is not
 * there: nothing happens); within a barrier the row with the greatest position wins, without
 * positions the last to come. Gives inserts, deletes and updates.
 */
final class NormalizeOperator implements RowOperator {
  private static final long serialVersionUID = 1L;
  static final String ROWS = "rows";

  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final int[] position;
  private final int delete;
  private final UpsertRule rule;

  NormalizeOperator(Spec spec, List<Column> input, List<Column> output) {
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = spec.positions("key", input);
    this.kept = spec.positions(output, input);
    this.position = spec.positions("position", input);
    this.delete = spec.positionOrNone("delete", input);
    this.rule = UpsertRule.of(spec, output);
    RowKeys.check(spec, input, key);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    UnsafeProjection values = code.select(input, kept);
    Iterator<Map.Entry<UnsafeRow, Upsert>> upserts =
        last(inputs.get(0), keys, values, counters).entrySet().iterator();
    StateTable rows = StateTable.hashed(tx, ROWS, counters);
    UnsafeRow old = new UnsafeRow(output.size());
    return new ChangeIterator(code, Projections.types(output), counters) {
      @Override
      protected boolean advance() {
        if (!upserts.hasNext()) {
          return false;
        }
        Map.Entry<UnsafeRow, Upsert> entry = upserts.next();
        UnsafeRow keyRow = entry.getKey();
        int hash = keys.hash(keyRow);
        boolean present = rows.get(hash, keyRow, old);
        UnsafeRow row = rule == null ? entry.getValue().row
                                     : rule.apply(present ? old : null, entry.getValue().ordered());
        if (present ? old.equals(row) : row == null) {
          return true;
        }
        if (row == null) {
          rows.delete(hash, keyRow);
        } else {
          rows.put(hash, keyRow, row);
        }
        before = present ? old : null;
        after = row;
        return true;
      }
    };
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
        upsert.keep(row, new UpsertRule.Step(gone, values.apply(row).copy()));
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
