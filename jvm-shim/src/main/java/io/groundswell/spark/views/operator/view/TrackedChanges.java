package io.groundswell.spark.views.operator.view;

import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.storage.Mark;
import java.util.Iterator;
import java.util.function.BiFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Applies changes to a view as they come: at most one a key, pairs adjacent. A deleted row waits
 * for the one that may take its place.
 */
final class TrackedChanges {
  private final ViewStore rows;
  private final RowKeys keys;
  private final UnsafeProjection user;
  private final ViewTables.ChangelogWriter log;
  private final OperatorCounters counters;
  private final BiFunction<String, UnsafeRow, RuntimeException> lostTrack;
  private final UnsafeRow deletedKey;
  private final UnsafeRow deleted;
  private boolean waits;

  /**
   * @param user makes the user's columns of a row, so many
   * @param log null: nobody wants the changes
   * @param lostTrack makes the error of what happened to a key
   */
  TrackedChanges(ViewStore rows, RowKeys keys, UnsafeProjection user, int fields,
      ViewTables.ChangelogWriter log, OperatorCounters counters,
      BiFunction<String, UnsafeRow, RuntimeException> lostTrack) {
    this.rows = rows;
    this.keys = keys;
    this.user = user;
    this.log = log;
    this.counters = counters;
    this.lostTrack = lostTrack;
    this.deletedKey = new UnsafeRow(Math.max(1, keys.width()));
    this.deleted = new UnsafeRow(fields);
    deletedKey.pointTo(new byte[0], 0);
    deleted.pointTo(new byte[0], 0);
  }

  /**
   * @param weight position of a row's weight
   */
  void apply(Iterator<InternalRow> changes, int weight) {
    while (changes.hasNext()) {
      InternalRow row = changes.next();
      counters.rowsIn++;
      UnsafeRow key = keys.of(row);
      boolean pair = waits && row.getInt(weight) > 0 && deletedKey.equals(key);
      if (!pair) {
        delete();
        rows.enter(row);
      }
      if (row.getInt(weight) < 0) {
        deletedKey.copyFrom(key);
        deleted.copyFrom(user.apply(row));
        waits = true;
      } else if (pair) {
        update(user.apply(row));
      } else {
        insert(key, user.apply(row));
      }
    }
    delete();
    rows.finish();
  }

  private void insert(UnsafeRow key, UnsafeRow row) {
    if (!rows.insert(key, row)) {
      throw lostTrack.apply("insert of a key that is there", key);
    }
    gave(null, row);
  }

  private void update(UnsafeRow row) {
    waits = false;
    Mark.UPDATE_OF_HIDDEN_COLUMNS.hitIf(deleted.equals(row));
    if (!deleted.equals(row)) {
      if (!rows.replace(deletedKey, row)) {
        throw lostTrack.apply("delete of a key that is not there", deletedKey);
      }
      gave(deleted, row);
    }
  }

  private void delete() {
    if (waits) {
      waits = false;
      if (!rows.remove(deletedKey)) {
        throw lostTrack.apply("delete of a key that is not there", deletedKey);
      }
      gave(deleted, null);
    }
  }

  private void gave(UnsafeRow before, UnsafeRow after) {
    counters.rowsOut += (before == null ? 0 : 1) + (after == null ? 0 : 1);
    if (log != null) {
      log.add(before, after);
    }
  }
}
