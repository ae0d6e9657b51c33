package io.groundswell.spark.views.operator.change;

import com.google.common.collect.Iterators;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.RowOperator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/** Gives its input as it is: {@code Δ = Δ}. For rows that are given once; see {@code constant}. */
public final class PassOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  @Override
  public boolean needsEmptyRun() {
    return true;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    return Iterators.transform(inputs.get(0), row -> {
      counters.rowsIn++;
      counters.rowsOut++;
      return row;
    });
  }
}
