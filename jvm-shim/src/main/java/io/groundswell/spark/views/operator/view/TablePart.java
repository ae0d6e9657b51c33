package io.groundswell.spark.views.operator.view;

import com.google.common.collect.Iterators;
import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Snapshot;
import io.groundswell.key.TableSpec;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.stream.IntStream;

/**
 * One of some parts that the rows of each partition of a view are read in; every row is in exactly
 * one of them. What is placed by a hash is cut by it, into {@link #MOST} at most. Rows in the order
 * in which they came, as {@link BundledView} has them, are cut between commits.
 *
 * @param number from 0
 * @param count how many there are
 */
public record TablePart(int number, int count) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** As many as a byte has values. */
  public static final int MOST = 256;

  public static final TablePart ALL = new TablePart(0, 1);

  public TablePart {
    if (number < 0 || number >= count || count > MOST) {
      throw new IllegalArgumentException(
          "part " + number + " of " + count + "; there may be " + MOST);
    }
  }

  /** Over the rows of this part of a table, each opened when the one before was read. */
  Iterator<RowCursor> cursors(Snapshot snapshot, TableSpec table) {
    if (table == null) {
      return Collections.emptyIterator();
    }
    if (count == 1) {
      return Iterators.singletonIterator(snapshot.scan(table));
    }
    if (table.layout() == TableSpec.Layout.HASHED) {
      return IntStream.range((int) first(MOST), (int) end(MOST))
          .mapToObj(hash -> snapshot.hashed(table, hash))
          .iterator();
    }
    byte[] lower = number == 0 ? null : version(first(snapshot.version()) + 1);
    byte[] upper = number == count - 1 ? null : version(end(snapshot.version()) + 1);
    return Iterators.singletonIterator(snapshot.range(table, lower, upper));
  }

  private long first(long all) {
    return all * number / count;
  }

  private long end(long all) {
    return all * (number + 1) / count;
  }

  private static byte[] version(long version) {
    return ByteBuffer.allocate(Long.BYTES).putLong(version).array();
  }
}
