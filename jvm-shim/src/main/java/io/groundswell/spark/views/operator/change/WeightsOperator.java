package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.WeightsSpec;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads a changelog without a key: {@code weight = +1} for {@code insert} and {@code
 * update_postimage}, {@code -1} for {@code delete} and {@code update_preimage}.
 *
 * <p>No state. Takes inserts (the change rows themselves); gives inserts and deletes of a bag of
 * rows, which nothing has checked or netted.
 */
public final class WeightsOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final List<Column> input;
  private final List<Column> output;
  private final int[] kept;
  private final int changeType;

  public WeightsOperator(WeightsSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.kept = refs.positionsOf(output, input);
    this.changeType = refs.position(spec.changeType(), input);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Iterator<InternalRow> rows = inputs.get(0);
    Projections code = new Projections();
    UnsafeProjection values = code.select(input, kept);
    return new ChangeIterator(code, Projections.types(output), counters) {
      @Override
      protected boolean advance() {
        if (!rows.hasNext()) {
          return false;
        }
        InternalRow row = rows.next();
        counters.rowsIn++;
        UTF8String type = row.isNullAt(changeType) ? null : row.getUTF8String(changeType);
        UnsafeRow value = values.apply(row);
        if (ChangeType.of(type, "changelog").weight() < 0) {
          before = value;
        } else {
          after = value;
        }
        return true;
      }
    };
  }
}
