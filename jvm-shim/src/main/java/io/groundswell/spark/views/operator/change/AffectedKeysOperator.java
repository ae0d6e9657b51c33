package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.AffectedKeysSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
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
  private final int[] key;

  public AffectedKeysOperator(AffectedKeysSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.input = List.copyOf(input);
    this.key = refs.positions(spec.key(), input);
    RowKeys.check(refs, input, key);
    refs.checkSame(output, input);
    if (key.length != input.size()) {
      throw refs.invalid("must have all its columns in its key");
    }
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    UnsafeProjection keys = code.key(input, Projections.all(input.size()));
    Set<UnsafeRow> touched = new LinkedHashSet<>();
    inputs.get(0).forEachRemaining(row -> {
      counters.rowsIn++;
      UnsafeRow given = keys.apply(row);
      if (!given.anyNull() && !touched.contains(given)) {
        touched.add(given.copy());
      }
    });
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
