package io.groundswell.spark.store.provider;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.spark.store.encoding.ValueList;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import scala.collection.AbstractIterator;

/**
 * The rows of a cursor. The pair is reused from step to step, the rows in it are not. Closes the
 * cursor at its end.
 */
class RowPairs extends AbstractIterator<UnsafeRowPair> {
  protected final Family family;
  protected final UnsafeRowPair pair = new UnsafeRowPair(null, null);
  private final RowCursor cursor;
  private boolean looked;
  private boolean found;
  private boolean closed;

  RowPairs(Family family, RowCursor cursor) {
    this.family = family;
    this.cursor = cursor;
  }

  @Override
  public boolean hasNext() {
    if (!looked) {
      found = advance();
      looked = true;
    }
    return found;
  }

  @Override
  public UnsafeRowPair next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the scan of " + family.spec.name() + " is at its end");
    }
    looked = false;
    return pair.withRows(key(), family.value(cursor.value()));
  }

  protected final UnsafeRow key() {
    Slice key = cursor.key();
    return family.keys.decode(key.bytes, key.offset, key.length);
  }

  protected final Slice value() {
    return cursor.value();
  }

  /** Steps the cursor; false at its end, or once closed. */
  protected final boolean advance() {
    if (closed) {
      return false;
    }
    if (!cursor.next()) {
      close();
      return false;
    }
    return true;
  }

  final boolean isClosed() {
    return closed;
  }

  void close() {
    if (!closed) {
      closed = true;
      cursor.close();
    }
  }
}
