package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowMap;
import io.groundswell.storage.Mark;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The changes of a join that tells matched rows from unmatched ones, join key by join key. Pairs
 * change as in {@link JoinDelta}; on top of that
 *
 * <ul>
 *   <li>a row that the barrier leaves alone changes if it gains its first match or loses its last;
 *   <li>a changed row is taken back as it stood with its old matches, and given with its new ones.
 * </ul>
 *
 * <p>Each side of a touched join key is read at most once, and only if a changed row of the other
 * side can matter to its rows; where no residual condition tells rows of a key apart, a semi or
 * anti join reads one row to know that there is one.
 */
final class MatchDelta extends ChangeIterator {
  private enum Step {
    KEY,
    OPEN_RIGHT,
    SCAN_RIGHT,
    OPEN_LEFT,
    SCAN_LEFT,
    BOTH,
    LEFTS,
    RIGHTS,
    WRITE
  }

  private final String state;
  private final Iterator<JoinChanges> keys;
  private final RowKeys joinKeys;
  private final MatchSide left;
  private final MatchSide right;
  private final MatchRows rows;

  private Step step = Step.KEY;
  private UnsafeRow joinKey;
  private int hash;
  private boolean matchless; // a null in the join key: its rows match nothing and are not kept
  private boolean inRow; // of a scan
  private int at; // in the changed rows of the side that is not scanned
  private int other; // in the changed right rows, for step BOTH
  private int lost; // matches of the scanned row
  private int gained;

  MatchDelta(String state, RowMap<JoinChanges> changes, RowKeys joinKeys, MatchSide left,
      MatchSide right, MatchRows rows, Projections code, OperatorCounters counters) {
    super(code, rows.types(), counters);
    this.state = state;
    this.keys = changes.iterator();
    this.joinKeys = joinKeys;
    this.left = left;
    this.right = right;
    this.rows = rows;
  }

  @Override
  protected boolean advance() {
    switch (step) {
      case KEY -> {
        return nextKey();
      }
      case OPEN_RIGHT -> open(right, left, Step.SCAN_RIGHT, Step.OPEN_LEFT);
      case SCAN_RIGHT -> scan(right, left, Step.OPEN_LEFT);
      case OPEN_LEFT -> open(left, right, Step.SCAN_LEFT, Step.BOTH);
      case SCAN_LEFT -> scan(left, right, Step.BOTH);
      case BOTH -> both();
      case LEFTS -> changed(left, right, Step.RIGHTS);
      case RIGHTS -> changed(right, left, matchless ? Step.KEY : Step.WRITE);
      case WRITE -> {
        left.apply(hash, joinKey);
        right.apply(hash, joinKey);
        step = Step.KEY;
      }
    }
    return true;
  }

  private boolean nextKey() {
    if (!keys.hasNext()) {
      return false;
    }
    JoinChanges changes = keys.next();
    joinKey = changes.key();
    changes.check(state, joinKeys);
    hash = joinKeys.hash(joinKey);
    left.begin(changes.left());
    right.begin(changes.right());
    matchless = joinKeys.hasNull(joinKey);
    at = 0;
    other = 0;
    if (matchless) {
      Mark.KEY_WITHOUT_MATCHES.hit();
      step = Step.LEFTS;
      return true;
    }
    if (!rows.hasResidual()) {
      // a scan of the right side for pairs would tell as well
      if (!(rows.givesPairs() && left.isChanged()) || right.tracked) {
        right.probe(hash, joinKey);
      }
      if (right.tracked) {
        left.probe(hash, joinKey);
      }
    }
    step = Step.OPEN_RIGHT;
    return true;
  }

  /** Starts to read {@code side} if changed rows of {@code opposite} can matter to its rows. */
  private void open(MatchSide side, MatchSide opposite, Step scan, Step otherwise) {
    boolean turned = side.tracked && opposite.hadRows() != opposite.hasRows();
    if (opposite.isChanged() && (rows.givesPairs() || rows.hasResidual() || turned)) {
      side.table.openBefore(hash, joinKey, opposite.changes);
      inRow = false;
      step = scan;
    } else {
      at = 0;
      step = otherwise;
    }
  }

  /** Every row of {@code side} that is left alone meets the changed rows of {@code opposite}. */
  private void scan(MatchSide side, MatchSide opposite, Step next) {
    if (inRow && at < opposite.changes.size()) {
      ChangeBuffer.Change change = opposite.changes.get(at);
      UnsafeRow row = side.table.row();
      boolean was = pairBefore(side, row, change.before());
      boolean is = pairAfter(side, row, change.after());
      lost += was ? 1 : 0;
      gained += is ? 1 : 0;
      opposite.before[at] += was ? 1 : 0;
      opposite.after[at++] += is ? 1 : 0;
    } else if (inRow) {
      inRow = false;
      if (side.tracked) {
        unchanged(side, opposite);
      }
    } else if (side.table.next(side.buffer)) {
      side.unchangedRows = true;
      inRow = true;
      at = rows.givesPairs() || rows.hasResidual() ? 0 : opposite.changes.size();
      lost = 0;
      gained = 0;
    } else {
      at = 0;
      step = next;
    }
  }

  /** A row that is left alone, when its matches are known. */
  private void unchanged(MatchSide side, MatchSide opposite) {
    boolean was = opposite.hadRows();
    boolean is = opposite.hasRows();
    if (rows.hasResidual()) {
      int old = side.table.matches();
      int now = old - lost + gained;
      if (now < 0 || old < lost) {
        throw RowKeys.inconsistent("join \"" + state + "\": a row lost " + lost + " of " + old
            + " matches, under the join key " + joinKeys.text(joinKey)
            + "; a condition of the view may not be deterministic");
      }
      if (now != old) {
        Mark.MATCHES_COUNTED_ANEW.hit();
        side.table.setMatches(now);
      }
      was = old > 0;
      is = now > 0;
    }
    if (was != is) {
      Mark.FIRST_OR_LAST_MATCH.hit();
      before = rows.unitBefore(side.left, side.table.row(), was);
      after = rows.unitAfter(side.left, side.table.row(), is);
    }
  }

  private void both() {
    boolean needed = rows.givesPairs() || rows.hasResidual();
    if (!needed || at == left.changes.size() || right.changes.isEmpty()) {
      at = 0;
      step = Step.LEFTS;
      return;
    }
    ChangeBuffer.Change l = left.changes.get(at);
    ChangeBuffer.Change r = right.changes.get(other);
    boolean was = l.before() != null && pairBefore(left, l.before(), r.before());
    boolean is = l.after() != null && pairAfter(left, l.after(), r.after());
    left.before[at] += was ? 1 : 0;
    left.after[at] += is ? 1 : 0;
    right.before[other] += was ? 1 : 0;
    right.after[other] += is ? 1 : 0;
    if (++other == right.changes.size()) {
      other = 0;
      at++;
    }
  }

  /** Changed rows of {@code side}, when all their matches are known. */
  private void changed(MatchSide side, MatchSide opposite, Step next) {
    if (!side.tracked || at == side.changes.size()) {
      at = 0;
      step = next;
      return;
    }
    ChangeBuffer.Change change = side.changes.get(at);
    boolean was = rows.hasResidual() ? side.before[at] > 0 : !matchless && opposite.hadRows();
    boolean is = rows.hasResidual() ? side.after[at] > 0 : !matchless && opposite.hasRows();
    at++;
    before = change.before() == null ? null : rows.unitBefore(side.left, change.before(), was);
    after = change.after() == null ? null : rows.unitAfter(side.left, change.after(), is);
  }

  /** Whether a row of {@code side} matched one of the other; if pairs are given, takes theirs. */
  private boolean pairBefore(MatchSide side, UnsafeRow row, UnsafeRow opposite) {
    if (opposite == null || !rows.before.join(side.left, row, opposite)) {
      return false;
    }
    before = rows.givesPairs() ? rows.before.pair() : null;
    return true;
  }

  private boolean pairAfter(MatchSide side, UnsafeRow row, UnsafeRow opposite) {
    if (opposite == null || !rows.after.join(side.left, row, opposite)) {
      return false;
    }
    after = rows.givesPairs() ? rows.after.pair() : null;
    return true;
  }
}
