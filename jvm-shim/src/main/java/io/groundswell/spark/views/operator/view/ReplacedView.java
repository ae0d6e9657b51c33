package io.groundswell.spark.views.operator.view;

import io.groundswell.engine.RowCursor;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.function.BiFunction;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A partition of a view that was computed anew: what differs from the rows that are there is
 * written, and told, as if it had come as changes. The new rows are held in memory meanwhile.
 */
final class ReplacedView {
  private final StateTable rows;
  private final RowKeys keys;
  private final int fields;
  private final ViewTables.ChangelogWriter log;
  private final OperatorCounters counters;
  private final BiFunction<String, UnsafeRow, EngineException> lostTrack;

  /**
   * @param fields how many columns the user sees
   * @param log takes the difference; null: nobody asks for it
   * @param lostTrack what to throw for rows that cannot be a view's
   */
  ReplacedView(StateTable rows, RowKeys keys, int fields, ViewTables.ChangelogWriter log,
      OperatorCounters counters, BiFunction<String, UnsafeRow, EngineException> lostTrack) {
    this.rows = rows;
    this.keys = keys;
    this.fields = fields;
    this.log = log;
    this.counters = counters;
    this.lostTrack = lostTrack;
  }

  /**
   * @param whole all rows that the view is to have, as inserts
   */
  void replace(ChangeBuffer whole) {
    whole.changes().forEach(this::check);
    UnsafeRow key = new UnsafeRow(Math.max(1, keys.width())); // a key of no columns is one constant
    UnsafeRow before = new UnsafeRow(fields);
    try (RowCursor cursor = rows.scan()) { // writes do not disturb it
      while (rows.read(cursor)) {
        StateTable.point(key, cursor.key());
        StateTable.point(before, cursor.value());
        ChangeBuffer.Change change = whole.get(key);
        UnsafeRow after = change == null ? null : change.after();
        if (after == null) {
          rows.remove(cursor.hash(), key);
          tell(before, null);
        } else if (!after.equals(before)) {
          rows.replace(cursor.hash(), key, after);
          tell(before, after);
        }
        if (change != null) {
          change.clear();
        }
      }
    }
    for (ChangeBuffer.Change change : whole.changes()) {
      if (change.inserts()) {
        UnsafeRow added = change.key();
        UnsafeRow after = change.after();
        rows.insert(keys.hash(added), added, after);
        tell(null, after);
      }
    }
  }

  private void check(ChangeBuffer.Change change) {
    if (change.deletes()) {
      throw lostTrack.apply("delete of a key that is not there", change.key());
    }
    if (change.insertsMore()) {
      throw lostTrack.apply("insert of a key that is there", change.key());
    }
  }

  private void tell(UnsafeRow before, UnsafeRow after) {
    counters.rowsOut += (before == null ? 0 : 1) + (after == null ? 0 : 1);
    if (log != null) {
      log.add(before, after);
    }
  }
}
