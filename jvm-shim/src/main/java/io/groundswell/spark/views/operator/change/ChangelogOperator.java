package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Transaction;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.contract.dataflow.NormalizeSpec;
import io.groundswell.spark.views.operator.spi.ChangeType;
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
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Checks and nets a changelog with a key: {@code Δ = Σ changes of the barrier}, where {@code kept +
 * Δ} must hold each key at most once.
 *
 * <p>State: {@code rows}, by the hash of the key: key → the output columns.
 *
 * <p>Takes inserts, each a change row of one of the {@link ChangeType}s, in any order: what counts
 * is the barrier's sum, because sources do not order their files and partitions. Gives inserts,
 * deletes and updates. A contradiction: the delete of a key that is not there, the delete of
 * another row than the one kept, the insert of a key that is there. It is an error, or, where the
 * source is to be tolerated, counted and made to fit: a key that is inserted at all ends with an
 * inserted row, one that is only deleted goes, whatever row the delete names.
 */
public final class ChangelogOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final String source;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final int changeType;
  private final boolean tolerant;

  public ChangelogOperator(NormalizeSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.source = spec.source();
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = refs.positions(spec.key(), input);
    this.kept = refs.positionsOf(output, input);
    this.changeType = refs.position(spec.changeType(), input);
    this.tolerant = spec.tolerate();
    RowKeys.check(refs, input, key);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    StateTable rows = StateTable.hashed(tx, NormalizeOperator.ROWS, counters);
    return KeyedChanges.over(inputs.get(0), input, key, kept, this::weight, counters,
        pass -> checked(pass, rows, counters));
  }

  private int weight(InternalRow row) {
    UTF8String type = row.isNullAt(changeType) ? null : row.getUTF8String(changeType);
    return ChangeType.of(type, source).weight();
  }

  private Iterator<InternalRow> checked(
      KeyedChanges.Pass pass, StateTable rows, OperatorCounters counters) {
    RowKeys keys = pass.keys();
    Iterator<ChangeBuffer.Change> changes = pass.changes().changes().iterator();
    UnsafeRow old = new UnsafeRow(output.size());
    return new ChangeIterator(pass.code(), Projections.types(output), counters) {
      @Override
      protected boolean advance() {
        if (!changes.hasNext()) {
          return false;
        }
        ChangeBuffer.Change change = changes.next();
        UnsafeRow keyRow = change.key();
        if (change.isNone()) {
          return true;
        }
        int hash = keys.hash(keyRow);
        UnsafeRow kept = rows.get(hash, keyRow, old) ? old : null;
        String contradiction = contradiction(change, kept);
        if (contradiction == null) {
          before = change.before();
          after = change.after();
        } else if (tolerant) {
          counters.contradictions++;
          if (Objects.equals(change.after(), kept)) {
            return true;
          }
          before = kept == null ? null : kept.copy();
          after = change.after();
        } else {
          throw refused(contradiction, keyRow, keys);
        }
        if (after == null) {
          rows.delete(hash, keyRow);
        } else {
          rows.put(hash, keyRow, after);
        }
        return true;
      }
    };
  }

  /**
   * How what is left of a barrier does not fit the row kept, which may be null; null if it does.
   */
  private static String contradiction(ChangeBuffer.Change change, UnsafeRow kept) {
    UnsafeRow deleted = change.before();
    if (deleted != null && kept == null) {
      return "delete or update_preimage of the key %s, which is not there";
    }
    if (deleted != null && (change.deletesMore() || !deleted.equals(kept))) {
      return "delete or update_preimage of the key %s, whose row differs from the one kept";
    }
    boolean occupied = kept != null && deleted == null;
    return change.after() != null && (occupied || change.insertsMore())
        ? "insert or update_postimage of the key %s, which is there already"
        : null;
  }

  private EngineException refused(String contradiction, UnsafeRow keyRow, RowKeys keys) {
    return RowKeys.inconsistent("source \"" + source
        + "\": " + String.format(contradiction, keys.text(keyRow))
        + "; a changelog must hold every change of its table once: declare the source as"
        + " upserts if it does not, or with inconsistent=\"tolerate\"");
  }
}
