package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.ArrangeSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.GroupedChanges;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Keeps a shared index of a table or view: {@code index' = index + Δ}.
 *
 * <p>State: {@code rows}, by the hash of the first index column, see {@link IndexRows}. This
 * operator is its only writer; lookups read the version of the epoch before, and take what changed
 * since from this operator's output. {@link FrequentKeys} of it are for the planner. Rows with a
 * null in an index column match nothing and are not kept, but their changes are passed on: an outer
 * or anti join gives them.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives the net changes.
 */
public final class ArrangeOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final List<Column> input;
  private final int[] index;
  private final IndexLayout layout;

  public ArrangeOperator(ArrangeSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.index = refs.positions(spec.index(), input);
    int[] key = refs.positions(spec.key(), input);
    this.layout = new IndexLayout(input, index, key);
    RowKeys.check(refs, input, index);
    RowKeys.check(refs, input, key);
    if (index.length == 0) {
      throw refs.invalid("needs at least one index column");
    }
    refs.checkSame(output, input);
  }

  @Override
  public TableMove move(String table) {
    return table.equals(FrequentKeys.TABLE) ? FrequentKeys::move : TableMove.BY_HASH;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    return Passes.over(inputs,
        ()
            -> new Changed(tx, counters),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
  }

  /** What a barrier, or a part of it, does to index keys. */
  private final class Changed implements Passes.Collector {
    private final Projections code = new Projections();
    private final GroupedChanges changes =
        new GroupedChanges(code, input, RowKeys.ofIndex(code, input, index), layout.streamKey());
    private final Transaction tx;
    private final OperatorCounters counters;

    Changed(Transaction tx, OperatorCounters counters) {
      this.tx = tx;
      this.counters = counters;
    }

    @Override
    public long add(int number, InternalRow row) {
      return changes.add(changes.groups().of(row), row);
    }

    @Override
    public void moveAll(Passes.Target parts) {
      changes.moveAll(0, parts);
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      changes.move(number, row, parts);
    }

    @Override
    public Iterator<InternalRow> changes() {
      RowKeys indexKeys = changes.groups();
      IndexRows rows = new IndexRows(tx, layout, code, counters);
      FrequentKeys frequent = new FrequentKeys(tx, counters);
      Iterator<Map.Entry<UnsafeRow, ChangeBuffer>> keys = changes.byGroup().entrySet().iterator();
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
            frequent.write();
            return false;
          }
          Map.Entry<UnsafeRow, ChangeBuffer> entry = keys.next();
          if (!entry.getValue().isKeyed()) {
            throw RowKeys.inconsistent("index \"" + state
                + "\": a stream key changed twice in a barrier, under the index key "
                + indexKeys.text(entry.getKey()));
          }
          int hash = indexKeys.hash(entry.getKey());
          if (!indexKeys.hasNull(entry.getKey())) {
            rows.apply(hash, entry.getKey(), entry.getValue());
            frequent.add(hash, entry.getValue());
          }
          net = entry.getValue().net().iterator();
          return true;
        }
      };
    }
  }
}
