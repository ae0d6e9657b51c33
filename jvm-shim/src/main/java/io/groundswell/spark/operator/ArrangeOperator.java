package io.groundswell.spark.operator;

import io.groundswell.engine.Transaction;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Keeps a shared index of a table or view: {@code index' = index + Δ}.
 *
 * <p>State: {@code rows}, by the hash of the index columns, see {@link JoinSide}. This operator is
 * its only writer; lookups read the version of the epoch before, and take what changed since from
 * this operator's output. Rows with a null in an index column match nothing and are not kept.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives the net changes of the rows it keeps.
 */
final class ArrangeOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  /** The only table of an index. */
  static final String ROWS = "rows";

  private final String state;
  private final List<Column> input;
  private final int[] index;
  private final int[] key;

  ArrangeOperator(Spec spec, List<Column> input, List<Column> output) {
    this.state = spec.text("state");
    this.input = List.copyOf(input);
    this.index = spec.positions("index", input);
    this.key = spec.positions("key", input);
    RowKeys.check(spec, input, index);
    RowKeys.check(spec, input, key);
    if (index.length == 0) {
      throw spec.invalid("needs at least one index column");
    }
    spec.checkSame(output, input);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys indexKeys = new RowKeys(code, input, index);
    Map<UnsafeRow, ChangeBuffer> changes =
        IndexChanges.collect(code, inputs.get(0), input, indexKeys, key, null, counters);
    JoinSide rows = new JoinSide(tx, ROWS, input.size(), key.length, false, null, counters);
    Iterator<Map.Entry<UnsafeRow, ChangeBuffer>> keys = changes.entrySet().iterator();
    return new ChangeIterator(code, Projections.types(input), counters) {
      private Iterator<ChangeBuffer.Change> net = List.<ChangeBuffer.Change>of().iterator();

      @Override
      protected boolean advance() {
        if (net.hasNext()) {
          ChangeBuffer.Change change = net.next();
          before = change.before();
          after = change.after();
          return true;
        }
        if (!keys.hasNext()) {
          return false;
        }
        Map.Entry<UnsafeRow, ChangeBuffer> entry = keys.next();
        if (!entry.getValue().isKeyed()) {
          throw RowKeys.inconsistent("index \"" + state
              + "\": a stream key changed twice in a barrier, under the index key "
              + indexKeys.text(entry.getKey()));
        }
        rows.apply(indexKeys.hash(entry.getKey()), entry.getKey(), entry.getValue(), null);
        net = entry.getValue().net().iterator();
        return true;
      }
    };
  }
}
