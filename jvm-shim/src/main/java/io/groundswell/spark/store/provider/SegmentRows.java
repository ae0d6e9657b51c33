package io.groundswell.spark.store.provider;

import io.groundswell.engine.Slice;
import io.groundswell.spark.store.encoding.RowReader;
import io.groundswell.spark.store.encoding.ValueList;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The rows of a list's head, then those of its segments. */
final class SegmentRows implements Iterator<UnsafeRow> {
  private final Iterator<Slice> segments;
  private final RowReader reader;
  private Iterator<UnsafeRow> rows;

  SegmentRows(Iterator<UnsafeRow> head, Iterator<Slice> segments, RowReader reader) {
    this.rows = head;
    this.segments = segments;
    this.reader = reader;
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext()) {
      if (!segments.hasNext()) {
        return false;
      }
      rows = new ValueList.Rows(segments.next(), reader);
    }
    return true;
  }

  @Override
  public UnsafeRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the list of values is at its end");
    }
    return rows.next();
  }
}
