package io.groundswell.spark.operator;

import io.groundswell.engine.Transaction;
import io.groundswell.error.EngineException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
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
 * deletes and updates. An error: the delete of a key that is not there, the delete of another row
 * than the one kept, the insert of a key that is there.
 */
final class ChangelogOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final String source;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final int changeType;

  ChangelogOperator(Spec spec, List<Column> input, List<Column> output) {
    this.source = spec.text("source");
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = spec.positions("key", input);
    this.kept = spec.positions(output, input);
    this.changeType = spec.position("changeType", input);
    RowKeys.check(spec, input, key);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    UnsafeProjection values = code.select(input, kept);
    Iterator<Map.Entry<UnsafeRow, ChangeBuffer.Change>> changes =
        net(inputs.get(0), keys, values, counters).changes().entrySet().iterator();
    StateTable rows = StateTable.hashed(tx, NormalizeOperator.ROWS, counters);
    UnsafeRow old = new UnsafeRow(output.size());
    return new ChangeIterator(code, Projections.types(output), counters) {
      @Override
      protected boolean advance() {
        if (!changes.hasNext()) {
          return false;
        }
        Map.Entry<UnsafeRow, ChangeBuffer.Change> entry = changes.next();
        UnsafeRow keyRow = entry.getKey();
        ChangeBuffer.Change change = entry.getValue();
        if (change.isNone()) {
          return true;
        }
        int hash = keys.hash(keyRow);
        check(change, rows.get(hash, keyRow, old) ? old : null, keyRow, keys);
        before = change.before();
        after = change.after();
        if (after == null) {
          rows.delete(hash, keyRow);
        } else {
          rows.put(hash, keyRow, after);
        }
        return true;
      }
    };
  }

  private ChangeBuffer net(Iterator<InternalRow> rows, RowKeys keys, UnsafeProjection values,
      OperatorCounters counters) {
    ChangeBuffer changes = new ChangeBuffer();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UTF8String type = row.isNullAt(changeType) ? null : row.getUTF8String(changeType);
      changes.add(keys.of(row), ChangeType.of(type, source).weight(), values.apply(row));
    }
    return changes;
  }

  /** What is left of a barrier must fit the row kept; {@code old} is null if there is none. */
  private void check(ChangeBuffer.Change change, UnsafeRow old, UnsafeRow keyRow, RowKeys keys) {
    UnsafeRow deleted = change.before();
    if (deleted != null && old == null) {
      throw contradiction("delete or update_preimage", "which is not there", keyRow, keys);
    }
    if (deleted != null && (change.deletesMore() || !deleted.equals(old))) {
      throw contradiction(
          "delete or update_preimage", "whose row differs from the one kept", keyRow, keys);
    }
    boolean occupied = old != null && deleted == null;
    if (change.after() != null && (occupied || change.insertsMore())) {
      throw contradiction("insert or update_postimage", "which is there already", keyRow, keys);
    }
  }

  private EngineException contradiction(String type, String why, UnsafeRow keyRow, RowKeys keys) {
    return RowKeys.inconsistent("source \"" + source + "\": " + type + " of the key "
        + keys.text(keyRow) + ", " + why
        + "; a changelog must hold every change of its table once: declare the source as"
        + " upserts if it does not");
  }
}
