package io.groundswell.spark.views.operator.view;

import io.groundswell.engine.RowCursor;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A partition of a view that was recomputed: what differs from the rows that are there is
 * written, and told, as if it had come as changes. The rows that are there are netted with the new
 * ones, as deletes, so what memory cannot hold takes several passes.
 */
final class ReplacedView {
  private final StateTable rows;
  private final List<Column> input;
  private final int[] key;
  private final int[] fields;
  private final ViewTables.ChangelogWriter log;
  private final OperatorCounters counters;
  private final BiFunction<String, UnsafeRow, EngineException> lostTrack;

  /**
   * @param input columns of the new rows
   * @param key positions of the view's key
   * @param fields positions of the columns that the user sees
   * @param log takes the difference; null: nobody asks for it
   * @param lostTrack what to throw for rows that cannot be a view's
   */
  ReplacedView(StateTable rows, List<Column> input, int[] key, int[] fields,
      ViewTables.ChangelogWriter log, OperatorCounters counters,
      BiFunction<String, UnsafeRow, EngineException> lostTrack) {
    this.rows = rows;
    this.input = input;
    this.key = key;
    this.fields = fields;
    this.log = log;
    this.counters = counters;
    this.lostTrack = lostTrack;
  }

  /**
   * @param whole all rows that the view is to have, as inserts
   */
  void replace(Iterator<InternalRow> whole) {
    List<Column> kept = new ArrayList<>(); // what the user sees, then the key
    IntStream.concat(IntStream.of(fields), IntStream.of(key))
        .forEach(at -> kept.add(input.get(at)));
    int[] keys = IntStream.range(fields.length, kept.size()).toArray();
    Projections code = new Projections();
    try (RowCursor cursor = rows.scan()) { // writes do not disturb it
      KeyedChanges.each(new Both(whole, cursor, code), kept, keys, Projections.all(fields.length),
          counters, this::apply);
    }
    code.release();
  }

  private void apply(KeyedChanges.Pass pass) {
    RowKeys keys = pass.keys();
    for (ChangeBuffer.Change change : pass.changes().changes()) {
      UnsafeRow keyRow = change.key();
      if (change.deletesMore()) {
        throw lostTrack.apply("delete of a key that is not there", keyRow);
      }
      if (change.insertsMore()) {
        throw lostTrack.apply("insert of a key that is there", keyRow);
      }
      UnsafeRow before = change.before();
      UnsafeRow after = change.after();
      int hash = keys.hash(keyRow);
      if (before != null && after != null) {
        rows.replace(hash, keyRow, after);
      } else if (before != null) {
        rows.remove(hash, keyRow);
      } else if (after != null) {
        rows.insert(hash, keyRow, after);
      } else {
        continue;
      }
      counters.rowsOut += (before == null ? 0 : 1) + (after == null ? 0 : 1);
      if (log != null) {
        log.add(before, after);
      }
    }
  }

  /** The new rows, with weight 1; then those that are there, with weight -1. */
  private final class Both implements Iterator<InternalRow> {
    private final Iterator<InternalRow> whole;
    private final RowCursor there;
    private final RowKeys keys;
    private final UnsafeProjection select;
    private final UnsafeRow was = new UnsafeRow(fields.length);
    private final UnsafeRow wasUnder = new UnsafeRow(key.length);
    private final JoinedRow joined = new JoinedRow();
    private final JoinedRow row = new JoinedRow();
    private final UnsafeRow weight = new UnsafeRow(1);
    private boolean ready;

    Both(Iterator<InternalRow> whole, RowCursor there, Projections code) {
      this.whole = whole;
      this.there = there;
      this.keys = new RowKeys(code, input, key);
      this.select =
          code.select(input, IntStream.concat(IntStream.of(fields), IntStream.of(key)).toArray());
      weight.pointTo(new byte[16], 16);
    }

    @Override
    public boolean hasNext() {
      if (!ready) {
        ready = whole.hasNext() || rows.read(there);
      }
      return ready;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      ready = false;
      if (whole.hasNext()) {
        InternalRow added = whole.next();
        if (added.getInt(input.size()) != 1) {
          throw lostTrack.apply("delete of a key that is not there", keys.of(added));
        }
        weight.setInt(0, 1);
        return row.apply(select.apply(added), weight);
      }
      counters.rowsIn--; // it is none of the input
      weight.setInt(0, -1);
      StateTable.point(was, there.value());
      if (key.length == 0) { // its key is a constant
        return row.apply(was, weight);
      }
      StateTable.point(wasUnder, there.key());
      return row.apply(joined.apply(was, wasUnder), weight);
    }
  }
}
