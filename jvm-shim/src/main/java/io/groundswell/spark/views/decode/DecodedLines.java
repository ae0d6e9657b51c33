package io.groundswell.spark.views.decode;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of lines: usual ones are read here, all others by Spark's parser. */
abstract class DecodedLines implements Iterator<InternalRow> {
  protected final Lines lines;
  private final Layout layout;

  // A row is good until the next is taken, also while the line after it is looked at: two by turns.
  private final DecodedRow[] rows = new DecodedRow[2];
  private int turn;

  private scala.collection.Iterator<InternalRow> rest = scala.collection.Iterator.empty();
  private InternalRow ready;
  private long count;

  /**
   * @param layout of the rows; null: Spark's parser reads all lines
   */
  DecodedLines(Lines lines, Layout layout) {
    this.lines = lines;
    this.layout = layout;
    for (int i = 0; layout != null && i < rows.length; i++) {
      rows[i] = new DecodedRow(layout);
    }
  }

  /** Reads the line at hand; throws {@link Unusual} if Spark has to. */
  abstract void read(DecodedRow row);

  /** The rows of the line at hand by Spark's parser. */
  abstract scala.collection.Iterator<InternalRow> left();

  final Layout layout() {
    return layout;
  }

  @Override
  public final boolean hasNext() {
    while (ready == null) {
      if (rest.hasNext()) {
        ready = rest.next();
      } else if (lines.next()) {
        take();
      } else {
        return false;
      }
    }
    return true;
  }

  private void take() {
    if (layout != null) {
      int other = 1 - turn;
      try {
        read(rows[other]);
        ready = rows[other];
        turn = other;
        return;
      } catch (Unusual e) { // as below
      }
    }
    count++;
    rest = left();
  }

  /** The next row; a row is good until the next is asked for. */
  @Override
  public final InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    InternalRow next = ready;
    ready = null;
    return next;
  }

  /** How many lines were left to Spark's parser. */
  final long leftLines() {
    return count;
  }
}
