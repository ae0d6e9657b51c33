package io.groundswell.spark.views.operator.window;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;

/**
 * Follows each row of a run by the session that it merges into, as Spark does: rows are in the
 * order of their own sessions' starts, and one that starts no later than the session so far ends
 * belongs to it.
 */
final class SessionRuns implements Iterator<InternalRow> {
  private final Iterator<InternalRow> rows;
  private final int session;
  private final int run;
  private final JoinedRow joined = new JoinedRow();
  private List<InternalRow> merged = List.of();
  private InternalRow bounds;
  private InternalRow ahead;
  private int at;

  /**
   * @param session position of the row's own session, a struct of start and end
   * @param run position of the run's number
   */
  SessionRuns(Iterator<InternalRow> rows, int session, int run) {
    this.rows = rows;
    this.session = session;
    this.run = run;
  }

  @Override
  public boolean hasNext() {
    return at < merged.size() || ahead != null || rows.hasNext();
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    if (at == merged.size()) {
      merge();
    }
    return joined.apply(merged.get(at++), bounds);
  }

  /** Collects the rows of the next session. */
  private void merge() {
    InternalRow row = ahead != null ? ahead : rows.next().copy();
    ahead = null;
    merged = new ArrayList<>(List.of(row));
    at = 0;
    long number = row.getLong(run);
    long start = start(row);
    long end = end(row);
    while (ahead == null && rows.hasNext()) {
      InternalRow next = rows.next().copy();
      if (next.getLong(run) != number || start(next) > end) {
        ahead = next;
      } else {
        merged.add(next);
        end = Math.max(end, end(next));
      }
    }
    bounds =
        new GenericInternalRow(new Object[] {new GenericInternalRow(new Object[] {start, end})});
  }

  private long start(InternalRow row) {
    return row.getStruct(session, 2).getLong(0);
  }

  private long end(InternalRow row) {
    return row.getStruct(session, 2).getLong(1);
  }
}
