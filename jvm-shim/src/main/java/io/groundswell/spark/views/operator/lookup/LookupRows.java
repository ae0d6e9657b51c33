package io.groundswell.spark.views.operator.lookup;

import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * What a lookup has at hand, index key by index key: the rows of the stream that name it, the rows
 * of the index that the barrier leaves alone, and what it changes of the index.
 */
final class LookupRows {
  private static final ChangeBuffer UNCHANGED = new ChangeBuffer();

  /**
   * A row of the stream.
   *
   * @param equal what an index row must equal besides its key; null: nothing
   * @param matchless whether it has a null where an index row must equal it
   */
  record Probe(UnsafeRow row, int weight, UnsafeRow equal, boolean matchless) {}

  /**
   * What is wanted of an index row.
   *
   * @param row what stands beside a row of the stream
   * @param equal what a row of the stream must equal besides its key; null: nothing
   */
  record Wanted(UnsafeProjection row, UnsafeProjection equal) {
    UnsafeRow equalOf(InternalRow indexRow) {
      return equal == null ? null : equal.apply(indexRow);
    }
  }

  private final RowKeys keys;
  private final Iterator<Map.Entry<UnsafeRow, List<Probe>>> left;
  private final Map<UnsafeRow, ChangeBuffer> changes;
  private final LookupSlices rows;
  private List<Probe> probes = List.of();
  private ChangeBuffer changed = UNCHANGED;
  private boolean open;

  /**
   * @param changes of the index, by index key; none: the index as it was
   */
  LookupRows(RowKeys keys, Map<UnsafeRow, List<Probe>> probes, Map<UnsafeRow, ChangeBuffer> changes,
      LookupSlices rows) {
    this.keys = keys;
    this.left = probes.entrySet().iterator();
    this.changes = changes;
    this.rows = rows;
  }

  /** Goes to the next index key; false if there is none. */
  boolean nextKey() {
    if (!left.hasNext()) {
      return false;
    }
    Map.Entry<UnsafeRow, List<Probe>> entry = left.next();
    probes = entry.getValue();
    changed = changes.getOrDefault(entry.getKey(), UNCHANGED);
    open = !keys.hasNull(entry.getKey());
    if (open) {
      rows.open(keys.hash(entry.getKey()), entry.getKey());
    }
    return true;
  }

  /** The rows of the stream with this index key. */
  List<Probe> probes() {
    return probes;
  }

  /** The next row of the index that the barrier leaves alone, or null, as it is stored; reused. */
  InternalRow nextUnchanged() {
    InternalRow row = open ? rows.next(changed) : null;
    open = row != null;
    return row;
  }

  /** Reads no more rows of this key. */
  void skipUnchanged() {
    if (open) {
      rows.close();
      open = false;
    }
  }

  /** What the barrier changed of this key. */
  Iterator<ChangeBuffer.Change> changes() {
    return changed.isEmpty() ? Collections.emptyIterator() : rows.changes(changed);
  }
}
