package io.groundswell.spark.views.operator.window;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Drops the rows of sessions that the watermark has passed: no row that may still come merges with
 * them. Nothing is given for them.
 *
 * <p>State: {@link TimeOrderedRows} without values: end of a row's own session | partition, so that
 * a partition is looked at when one of its sessions may have closed. A session closes at the end of
 * its last row, so none is missed.
 */
final class ClosedSessions {
  private final TimeBound time;
  private final RowKeys partitions;
  private final WindowKeys keys;
  private final StateTable rows;
  private final TimeOrderedRows ends;
  private final int session;
  private final int width;

  /**
   * @param time of the rows' own sessions
   * @param session their position
   */
  ClosedSessions(Transaction tx, TimeBound time, int session, int width, RowKeys partitions,
      WindowKeys keys, OperatorCounters counters) {
    this.time = time;
    this.session = session;
    this.width = width;
    this.partitions = partitions;
    this.keys = keys;
    this.rows = StateTable.hashed(tx, "rows", counters);
    this.ends = TimeOrderedRows.ofKeys(tx, partitions.width(), counters);
  }

  /** Drops what has closed. */
  void drop() {
    Set<UnsafeRow> due = new LinkedHashSet<>();
    while (ends.take(time.bound())) {
      due.add(ends.key().copy());
    }
    ends.end();
    due.forEach(this::drop);
  }

  private void drop(UnsafeRow partition) {
    int hash = partitions.hash(partition);
    byte[] prefix = keys.prefix(partition);
    List<byte[]> dead = new ArrayList<>();
    List<byte[]> open = new ArrayList<>();
    long end = Long.MIN_VALUE;
    UnsafeRow row = new UnsafeRow(width);
    try (RowCursor cursor = rows.prefix(hash, prefix, prefix.length)) {
      while (rows.read(cursor)) {
        StateTable.point(row, cursor.value());
        InternalRow own = row.getStruct(session, 2);
        if (own.getLong(0) > end) {
          if (end < time.bound()) {
            dead.addAll(open);
          }
          open.clear();
        }
        end = Math.max(end, own.getLong(1));
        open.add(cursor.key().copy());
      }
    }
    if (end < time.bound()) {
      dead.addAll(open);
    }
    Mark.SESSION_CLOSES.hitIf(!dead.isEmpty());
    dead.forEach(key -> rows.delete(hash, key, key.length));
  }

  /** Notes a row that comes. */
  void add(UnsafeRow partition, InternalRow row) {
    ends.put(partitions.hash(partition), time.value(row), partition);
  }
}
