package io.groundswell.spark.views.operator.state;

import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** An operator's output, made one net change at a time: rows with their weight, - before +. */
public abstract class ChangeIterator implements Iterator<InternalRow> {
  private final Projections code;
  private final OperatorCounters counters;
  private final UnsafeRowJoiner weigh;
  private final UnsafeRow deleted = weight(-1);
  private final UnsafeRow inserted = weight(1);
  private boolean ended;

  /** The next change: the row deleted and the row inserted; either may be null. */
  protected UnsafeRow before;

  protected UnsafeRow after;

  /** At its end it gives {@code code} back. */
  public ChangeIterator(Projections code, DataType[] types, OperatorCounters counters) {
    this.code = code;
    this.counters = counters;
    this.weigh = code.joiner(types, new DataType[] {DataTypes.IntegerType});
  }

  /**
   * Sets {@code before} and {@code after} to the next change, both null at first; false at the end.
   * A change of two nulls is passed over.
   */
  protected abstract boolean advance();

  /** Drops a change that leaves its row as it was. */
  protected final void dropIfSame() {
    if (before != null && before.equals(after)) {
      before = null;
      after = null;
    }
  }

  @Override
  public final boolean hasNext() {
    while (before == null && after == null && !ended) {
      if (!advance()) {
        ended = true;
        code.release();
      }
    }
    return !ended || before != null || after != null;
  }

  @Override
  public final InternalRow next() {
    if (before == null && after == null && !hasNext()) {
      throw new NoSuchElementException();
    }
    counters.rowsOut++;
    UnsafeRow row;
    if (before != null) {
      row = weigh.join(before, deleted);
      before = null;
    } else {
      row = weigh.join(after, inserted);
      after = null;
    }
    return row;
  }

  /** The types of two rows side by side. */
  public static DataType[] concat(DataType[] left, DataType[] right) {
    DataType[] both = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, both, left.length, right.length);
    return both;
  }

  private static UnsafeRow weight(int value) {
    UnsafeRow row = new UnsafeRow(1);
    row.pointTo(new byte[16], 16);
    row.setInt(0, value);
    return row;
  }
}
