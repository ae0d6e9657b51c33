package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.AffectedKeysSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The keys that a barrier's changes touch, each once, as inserts, but for those with a null, which
 * match nothing: what a delta join looks up to find whose matches may have changed.
 *
 * <p>Keeps no state. Takes any changes; gives rows of the key columns.
 */
public final class AffectedKeysOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final List<Column> input;

  public AffectedKeysOperator(AffectedKeysSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.input = List.copyOf(input);
    int[] key = refs.positions(spec.key(), input);
    RowKeys.check(refs, input, key);
    refs.checkSame(output, input);
    if (key.length != input.size()) {
      throw refs.invalid("must have all its columns in its key");
    }
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    return Passes.over(inputs,
        ()
            -> new Touched(counters),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
  }

  /** The keys of a pass. */
  private final class Touched implements Passes.Collector {
    private static final int KEY_OVERHEAD = 120; // objects, and a place in the set

    private final Projections code = new Projections();
    private final RowKeys keys = new RowKeys(code, input, Projections.all(input.size()));
    private final Set<UnsafeRow> touched = new LinkedHashSet<>();
    private final OperatorCounters counters;

    Touched(OperatorCounters counters) {
      this.counters = counters;
    }

    @Override
    public long add(int number, InternalRow row) {
      UnsafeRow given = keys.of(row);
      if (given.anyNull() || touched.contains(given)) {
        return 0;
      }
      touched.add(given.copy());
      return KEY_OVERHEAD + given.getSizeInBytes();
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      UnsafeRow given = keys.of(row);
      if (!given.anyNull() && !touched.contains(given)) {
        parts.add(number, keys.hash(given), 1, given);
      }
    }

    @Override
    public Iterator<InternalRow> changes() {
      Iterator<UnsafeRow> left = touched.iterator();
      return new ChangeIterator(code, Projections.types(input), counters) {
        @Override
        protected boolean advance() {
          after = left.hasNext() ? left.next() : null;
          return after != null;
        }
      };
    }
  }
}
