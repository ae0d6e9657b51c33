package io.groundswell.spark.views.operator.lookup;

import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;

/** The pairs of an inner lookup, index key by index key, with the weight of the stream's row. */
final class LookupPairs extends ChangeIterator {
  private final LookupRows looked;
  private final LookupRows.Wanted stored;
  private final LookupRows.Wanted changed;
  private final UnsafeRowJoiner join;

  private List<LookupRows.Probe> probes = List.of();
  private Iterator<ChangeBuffer.Change> inserted = Collections.emptyIterator();
  private boolean scanning;
  private int at; // in the probes, for the current index row
  private UnsafeRow selected;
  private UnsafeRow rest;

  /**
   * @param stored of rows as the index has them
   * @param changed of rows as its changes have them
   */
  LookupPairs(Projections code, DataType[] stream, DataType[] row, LookupRows looked,
      LookupRows.Wanted stored, LookupRows.Wanted changed, OperatorCounters counters) {
    super(code, concat(stream, row), counters);
    this.looked = looked;
    this.stored = stored;
    this.changed = changed;
    this.join = code.joiner(stream, row);
  }

  @Override
  protected boolean advance() {
    if (at < probes.size()) {
      match(probes.get(at++));
      return true;
    }
    if (scanning) {
      InternalRow row = looked.nextUnchanged();
      scanning = row != null;
      if (scanning) {
        start(row, stored);
      } else {
        inserted = looked.changes();
      }
      return true;
    }
    if (inserted.hasNext()) {
      UnsafeRow row = inserted.next().after();
      if (row != null) {
        start(row, changed);
      }
      return true;
    }
    if (!looked.nextKey()) {
      return false;
    }
    probes = looked.probes();
    at = probes.size();
    scanning = true;
    return true;
  }

  private void start(InternalRow indexRow, LookupRows.Wanted wanted) {
    selected = wanted.row().apply(indexRow);
    rest = wanted.equalOf(indexRow);
    at = 0;
  }

  private void match(LookupRows.Probe probe) {
    if (rest != null && !rest.equals(probe.equal())) {
      return;
    }
    UnsafeRow pair = join.join(probe.row(), selected);
    before = probe.weight() < 0 ? pair : null;
    after = probe.weight() < 0 ? null : pair;
  }
}
