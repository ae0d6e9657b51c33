package io.groundswell.spark.store.provider;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.spark.store.encoding.ValueList;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;

/**
 * Every value of every key: a key with three values comes three times. Heads and segments are read
 * by two cursors of one range: keys are prefix-free, so segments come in the order of their heads.
 */
final class FlattenedPairs extends RowPairs {
  private final RowCursor segments;
  private UnsafeRow key;
  private Iterator<UnsafeRow> values;

  /** {@code segments} may be null: the family has none. */
  FlattenedPairs(Family family, RowCursor heads, RowCursor segments) {
    super(family, heads);
    this.segments = segments;
  }

  @Override
  public boolean hasNext() {
    while (values == null || !values.hasNext()) {
      if (!advance()) {
        return false;
      }
      key = key();
      Slice head = value();
      Iterator<UnsafeRow> first = new ValueList.Rows(head, family.rows);
      int count = ValueList.segments(head);
      values = count == 0 ? first : new SegmentRows(first, new NextSegments(count), family.rows);
    }
    return true;
  }

  @Override
  public UnsafeRowPair next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the scan of " + family.spec.name() + " is at its end");
    }
    return pair.withRows(key, values.next());
  }

  @Override
  void close() {
    if (!isClosed() && segments != null) {
      segments.close();
    }
    super.close();
  }

  /** As many segments as the head says, from where the cursor stands. */
  private final class NextSegments implements Iterator<Slice> {
    private int left;

    NextSegments(int count) {
      this.left = count;
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public Slice next() {
      left--;
      if (segments == null || !segments.next()) {
        throw new IllegalStateException("a list of " + family.spec.name()
            + " ends before its last segment; please report this");
      }
      return segments.value();
    }
  }
}
