package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowMap;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;

/**
 * The changes of a join, join key by join key, netted without a table of outputs: under one join
 * key, a pair (l, r) of stream keys was there if both were, and is there if both are (and their
 * times are near enough, in an interval join; the rest of a condition is a filter above). So
 *
 * <ol>
 *   <li>changed l, unchanged r: - if l was, + if l is;
 *   <li>unchanged l, changed r: - if r was, + if r is;
 *   <li>changed l, changed r: - if both were, + if both are.
 * </ol>
 *
 * <p>which is {@code ΔL ⋈ R + (L + ΔL) ⋈ ΔR} with what cancels out left out. The state is
 * written when all changes have been given, so that no look at it must sort what was written. Rows
 * of an append-only side are neither netted nor looked for.
 */
final class JoinDelta extends ChangeIterator {
  private enum Step { KEY, SCAN_RIGHT, SCAN_LEFT, BOTH }

  private final String state;
  private final RowMap<JoinChanges> all;
  private final Iterator<JoinChanges> keys;
  private final RowKeys joinKeys;
  private final JoinSide left;
  private final JoinSide right;
  private final RowKeys leftKeys;
  private final RowKeys rightKeys;
  private final UnsafeRowJoiner joinBefore;
  private final UnsafeRowJoiner joinAfter;
  private final TimeBuckets times;

  private Step step = Step.KEY;
  private UnsafeRow joinKey;
  private int hash;
  private JoinChanges changes;
  private List<ChangeBuffer.Change> lefts;
  private List<ChangeBuffer.Change> rights;
  private int at; // in the changed rows, for the current row of the other side
  private int other; // in the changed right rows, for step BOTH

  /**
   * @param leftKeys stream keys of the left rows, {@code rightKeys} of the right ones
   */
  JoinDelta(String state, RowMap<JoinChanges> changes, RowKeys joinKeys, JoinSide left,
      JoinSide right, RowKeys leftKeys, RowKeys rightKeys, TimeBuckets times, Projections code,
      DataType[] leftTypes, DataType[] rightTypes, OperatorCounters counters) {
    super(code, concat(leftTypes, rightTypes), counters);
    this.state = state;
    this.all = changes;
    this.keys = changes.iterator();
    this.joinKeys = joinKeys;
    this.left = left;
    this.right = right;
    this.times = times;
    this.leftKeys = leftKeys;
    this.rightKeys = rightKeys;
    this.joinBefore = code.joiner(leftTypes, rightTypes);
    this.joinAfter = code.joiner(leftTypes, rightTypes);
  }

  @Override
  protected boolean advance() {
    return switch (step) {
      case KEY -> nextKey();
      case SCAN_RIGHT -> scanRight();
      case SCAN_LEFT -> scanLeft();
      case BOTH -> both();
    };
  }

  private boolean nextKey() {
    if (!keys.hasNext()) {
      all.forEach(this::write);
      return false;
    }
    changes = keys.next();
    joinKey = changes.key();
    hash = joinKeys.hash(joinKey);
    lefts = changes.left().net();
    rights = changes.right().net();
    changes.check(state, joinKeys);
    if (!lefts.isEmpty()) {
      right.openBefore(hash, joinKey, lefts);
      at = lefts.size();
      step = Step.SCAN_RIGHT;
    } else {
      openLeft();
    }
    return true;
  }

  private boolean scanRight() {
    if (at == lefts.size()) {
      if (!right.next(changes.right())) {
        openLeft();
        return true;
      }
      at = 0;
    }
    ChangeBuffer.Change change = lefts.get(at++);
    emit(change.before(), right.row(), change.after(), right.row());
    return true;
  }

  private void openLeft() {
    if (!rights.isEmpty()) {
      left.openBefore(hash, joinKey, rights);
      at = rights.size();
      step = Step.SCAN_LEFT;
    } else {
      step = Step.KEY;
    }
  }

  private boolean scanLeft() {
    if (at == rights.size()) {
      if (!left.next(changes.left())) {
        at = 0;
        other = 0;
        step = lefts.isEmpty() ? Step.KEY : Step.BOTH;
        return true;
      }
      at = 0;
    }
    ChangeBuffer.Change change = rights.get(at++);
    emit(left.row(), change.before(), left.row(), change.after());
    return true;
  }

  private boolean both() {
    ChangeBuffer.Change l = lefts.get(at);
    ChangeBuffer.Change r = rights.get(other);
    emit(l.before(), r.before(), l.after(), r.after());
    if (++other == rights.size()) {
      other = 0;
      at++;
    }
    if (at == lefts.size()) {
      step = Step.KEY;
    }
    return true;
  }

  private void write(JoinChanges changed) {
    UnsafeRow key = changed.key();
    int at = joinKeys.hash(key);
    write(left, at, key, changed.left(), leftKeys);
    write(right, at, key, changed.right(), rightKeys);
  }

  private static void write(
      JoinSide side, int hash, UnsafeRow key, ChangeBuffer changed, RowKeys streamKeys) {
    if (changed.inserts() == null) {
      side.apply(hash, key, changed, null);
    } else {
      side.insert(hash, key, changed.inserts(), streamKeys);
    }
  }

  private void emit(UnsafeRow oldLeft, UnsafeRow oldRight, UnsafeRow newLeft, UnsafeRow newRight) {
    before = meet(oldLeft, oldRight) ? joinBefore.join(oldLeft, oldRight) : null;
    after = meet(newLeft, newRight) ? joinAfter.join(newLeft, newRight) : null;
  }

  private boolean meet(UnsafeRow l, UnsafeRow r) {
    return l != null && r != null && (times == null || times.match(l, r));
  }
}
