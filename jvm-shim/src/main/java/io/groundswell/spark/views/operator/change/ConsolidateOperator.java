package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.ConsolidateSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Nets a barrier's changes by stream key, so that what cancels out goes no further. The terms of a
 * delta join meet here: they come in any order, and a pair that changed on several sides is in
 * several of them.
 *
 * <p>Keeps no state. Takes changes in any order; gives at most one - and one + a key, in that
 * order.
 */
public final class ConsolidateOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final List<Column> input;
  private final int[] key;

  public ConsolidateOperator(ConsolidateSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.input = List.copyOf(input);
    this.key = refs.positions(spec.key(), input);
    RowKeys.check(refs, input, key);
    refs.checkSame(output, input);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    return KeyedChanges.over(inputs.get(0), input, key, Projections.all(input.size()), counters,
        pass
        -> net(pass.keyed("delta join: a stream key has several rows; an expression of the view "
                   + "may not be deterministic, or the stream key not unique"),
            counters));
  }

  private Iterator<InternalRow> net(KeyedChanges.Pass pass, OperatorCounters counters) {
    Iterator<ChangeBuffer.Change> net = pass.changes().net().iterator();
    return new ChangeIterator(pass.code(), Projections.types(input), counters) {
      @Override
      protected boolean advance() {
        if (!net.hasNext()) {
          return false;
        }
        ChangeBuffer.Change change = net.next();
        before = change.before();
        after = change.after();
        return true;
      }
    };
  }
}
