package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.state.ChangeBuffer;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * One side of a join that tells matched rows from unmatched ones, under the join key at work.
 *
 * <p>Without a residual condition every row of the other side is a match, so all rows of a side
 * have the same answer, and nothing needs to be kept for it: {@link #hadRows} and {@link #hasRows}
 * are about the side as a whole. With one, the number of a row's matches stands behind the row.
 */
final class MatchSide {
  final boolean left;
  final JoinSide table;
  /** Whether its rows' matches decide about the result. */
  final boolean tracked;
  private final boolean counting;

  /** What the barrier did to the side, net. */
  List<ChangeBuffer.Change> changes;
  ChangeBuffer buffer;
  /** Matches of the changed rows, by position: of the row deleted, and of the row inserted. */
  int[] before = new int[4];
  int[] after = new int[4];
  /** Whether a row that the barrier leaves alone was seen. */
  boolean unchangedRows;
  private boolean deletes;
  private boolean inserts;

  /**
   * @param counting whether rows of the table are followed by their number of matches
   */
  MatchSide(boolean left, JoinSide table, boolean tracked, boolean counting) {
    this.left = left;
    this.table = table;
    this.tracked = tracked;
    this.counting = counting;
  }

  /** Takes the changes of the next join key. */
  void begin(ChangeBuffer of) {
    buffer = of;
    changes = of.net();
    if (before.length < changes.size()) {
      before = new int[changes.size()];
      after = new int[changes.size()];
    }
    deletes = false;
    inserts = false;
    unchangedRows = false;
    for (int i = 0; i < changes.size(); i++) {
      before[i] = 0;
      after[i] = 0;
      deletes |= changes.get(i).deletes();
      inserts |= changes.get(i).inserts();
    }
  }

  boolean isChanged() {
    return deletes || inserts;
  }

  /** Whether the side had a row before the barrier; {@link #probe} must have been asked. */
  boolean hadRows() {
    return unchangedRows || deletes;
  }

  /** Whether the side has a row after the barrier. */
  boolean hasRows() {
    return unchangedRows || inserts;
  }

  /** Looks for one unchanged row, unless the answers are known without: reads O(changes) rows. */
  void probe(int hash, UnsafeRow joinKey) {
    if (!unchangedRows && !(deletes && inserts)) {
      table.openBefore(hash, joinKey, List.of());
      unchangedRows = table.next(buffer);
      table.close();
    }
  }

  /** Writes the changes. */
  void apply(int hash, UnsafeRow joinKey) {
    table.apply(hash, joinKey, buffer, counting ? after : null);
  }
}
