package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.StoredResultsSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Keeps rows of which some columns have another value whenever they are computed, so that what is
 * taken back is what was given: {@code Δ = the row that came - the row kept}, by stream key. A row
 * whose other columns stay as they are stays whole.
 *
 * <p>State: {@code rows}, by the hash of the stream key: key → the output columns.
 *
 * <p>Takes inserts, deletes and updates, whatever the computed columns of a deleted row say; gives
 * the same with the columns kept.
 */
public final class StoredResultsOperator implements RowOperator {
  private static final long serialVersionUID = 1L;
  private static final String ROWS = "rows";

  private final List<Column> columns;
  private final int[] key;
  private final int[] given;

  public StoredResultsOperator(StoredResultsSpec spec, List<Column> columns) {
    Refs refs = new Refs(spec);
    this.columns = List.copyOf(columns);
    this.key = refs.positions(spec.key(), columns);
    this.given = refs.positions(spec.given(), columns);
    RowKeys.check(refs, columns, key);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    StateTable rows = StateTable.hashed(tx, ROWS, counters);
    return KeyedChanges.over(inputs.get(0), columns, key, Projections.all(columns.size()), counters,
        pass
        -> remembered(pass.keyed("several rows of one stream key, for which values are remembered"),
            rows, counters));
  }

  private Iterator<InternalRow> remembered(
      KeyedChanges.Pass pass, StateTable rows, OperatorCounters counters) {
    Projections code = pass.code();
    RowKeys keys = pass.keys();
    UnsafeProjection kept = code.select(columns, given);
    UnsafeProjection came = code.select(columns, given);
    Iterator<ChangeBuffer.Change> changes = pass.changes().changes().iterator();
    UnsafeRow old = new UnsafeRow(columns.size());
    return new ChangeIterator(code, Projections.types(columns), counters) {
      @Override
      protected boolean advance() {
        if (!changes.hasNext()) {
          return false;
        }
        ChangeBuffer.Change change = changes.next();
        if (change.isNone()) { // it came back as it was
          return true;
        }
        UnsafeRow keyRow = change.key();
        UnsafeRow row = change.after();
        int hash = keys.hash(keyRow);
        boolean present = rows.get(hash, keyRow, old);
        if (present && row != null && kept.apply(old).equals(came.apply(row))) {
          return true;
        }
        if (row != null) {
          rows.put(hash, keyRow, row);
        } else if (present) {
          rows.delete(hash, keyRow);
        }
        before = present ? old : null;
        after = row;
        return true;
      }
    };
  }
}
