package io.groundswell.spark.views.operator.window;

import java.io.Serializable;
import java.util.List;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CurrentRow$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FrameLessOffsetWindowFunction;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.RowFrame$;
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame;
import org.apache.spark.sql.catalyst.expressions.UnboundedPreceding$;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Last;

/**
 * How far a row of an ordered partition is seen by the window functions of others, so that a change
 * need not read the whole partition.
 *
 * @param before a row's values depend on so many rows before it at most
 * @param after and on so many after it
 * @param last and on the last row up to it in which these columns are not null
 */
record WindowReach(int before, int after, List<Integer> last) implements Serializable {
  private static final int WIDEST = 100_000;

  /** Of functions over rows of {@code columns}; null if one of them may see all rows. */
  static WindowReach of(List<NamedExpression> functions, List<Attribute> columns) {
    int before = 0;
    int after = 0;
    TreeSet<Integer> last = new TreeSet<>();
    for (NamedExpression named : functions) {
      if (!(((Expression) named).children().head() instanceof WindowExpression window)
          || !(window.windowSpec().frameSpecification() instanceof SpecifiedWindowFrame frame)
          || frame.frameType() != RowFrame$.MODULE$
          || window.windowFunction() instanceof FrameLessOffsetWindowFunction shift
              && shift.ignoreNulls()) {
        return null;
      }
      int seen = lastSeen(window.windowFunction(), frame, columns);
      if (seen >= 0) {
        last.add(seen);
        continue;
      }
      Integer lower = offset(frame.lower());
      Integer upper = offset(frame.upper());
      if (lower == null || upper == null) {
        return null;
      }
      before = Math.max(before, -Math.min(lower, upper));
      after = Math.max(after, Math.max(lower, upper));
    }
    return Math.max(before, after) > WIDEST ? null
                                            : new WindowReach(before, after, List.copyOf(last));
  }

  /** The column of which the last value that is not null is asked for; -1 if it is not that. */
  private static int lastSeen(
      Expression function, SpecifiedWindowFrame frame, List<Attribute> columns) {
    if (frame.lower() != UnboundedPreceding$.MODULE$ || frame.upper() != CurrentRow$.MODULE$
        || !(function instanceof AggregateExpression call) || call.filter().isDefined()
        || !(call.aggregateFunction() instanceof Last last) || !last.ignoreNulls()
        || !(last.child() instanceof Attribute of)) {
      return -1;
    }
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).exprId().equals(of.exprId())) {
        return i;
      }
    }
    return -1;
  }

  /** Rows from the current one to a bound of a frame; null if it is not so many. */
  private static Integer offset(Expression bound) {
    if (bound == CurrentRow$.MODULE$) {
      return 0;
    }
    return bound.foldable() && bound.eval(InternalRow.empty()) instanceof Integer rows ? rows
                                                                                       : null;
  }

  /** A walk away from changed rows, against the order. */
  Walk backward() {
    return new Walk(last.isEmpty() ? after : Math.max(1, after), before);
  }

  /** A walk in the order. */
  Walk forward() {
    return new Walk(before, after);
  }

  boolean looksAtRows() {
    return !last.isEmpty();
  }

  /**
   * Says how many rows on one side of changed ones are needed: first those whose values the changes
   * may touch, to the last one that matters to {@link #last}; then those that these values depend
   * on. Whatever lies beyond, values of the rows passed may come out wrong only where they do so
   * with the changes and without.
   */
  final class Walk {
    private final int touched;
    private final int beyond;
    private final boolean[] met = new boolean[last.size()];
    private int rows;
    private int rest = -1; // of those beyond; -1: rows may be touched yet

    private Walk(int touched, int beyond) {
      this.touched = touched;
      this.beyond = beyond;
      settle();
    }

    boolean isOver() {
      return rest == 0;
    }

    void pass(InternalRow row) {
      if (rest > 0) {
        rest--;
        return;
      }
      rows++;
      for (int i = 0; i < met.length; i++) {
        met[i] |= rows >= touched && !row.isNullAt(last.get(i));
      }
      settle();
    }

    private void settle() {
      boolean all = rows >= touched;
      for (boolean one : met) {
        all &= one;
      }
      if (all) {
        rest = beyond;
      }
    }
  }
}
