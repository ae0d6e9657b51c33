package io.groundswell.spark.views.operator.change;

import com.google.common.collect.Iterators;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.shims.Attempt;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.ShortKey;
import io.groundswell.spark.views.capture.refuse.Failing;
import io.groundswell.spark.views.contract.dataflow.DivertedSpec;
import io.groundswell.spark.views.contract.dataflow.part.AttemptSpec;
import io.groundswell.spark.views.contract.dataflow.part.LabelledColumn;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowFailures;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Predicate;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Says of rows that some expressions cannot digest which of them fails, how, and what the row is.
 * Evaluates them one by one, for such rows are few.
 *
 * <p>Of an expectation it takes all rows, and counts them. Otherwise rows that fail have been told
 * from others in generated code before.
 *
 * <p>No state. Takes any changes; gives each with the columns {@code expression}, {@code error} and
 * {@code row} (JSON), and the row's key behind them. A row that is taken back fails as it did when
 * it came.
 */
public final class DivertOperator implements RowOperator {
  private static final long serialVersionUID = 1L;
  private static final int TOLD = 3;

  /** One expression, bound to the input's rows, and for which of them it is evaluated. */
  private record Attempted(String text, Expression when, List<Expression> parts)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    void eval(InternalRow row) {
      if (when == null || Boolean.TRUE.equals(when.eval(row))) {
        parts.forEach(part -> part.eval(row));
      }
    }
  }

  private final List<Attempted> attempted = new ArrayList<>();
  private final Expression fails;
  private final Expression shown;
  private final int weight;
  private final int[] key;
  private final DataType[] types;

  public DivertOperator(
      DivertedSpec spec, List<Column> input, List<Column> output, CallResolver calls) {
    Refs refs = new Refs(spec);
    for (AttemptSpec each : spec.attempts()) {
      attempted.add(new Attempted(each.text(),
          each.when() == null ? null : calls.condition(each.when(), input),
          each.expr() == null
              ? List.of(shortKey(each, refs, input, calls))
              : new ArrayList<>(Failing.parts(calls.condition(each.expr(), input)))));
    }
    this.fails = spec.constraint().isEmpty() ? null : fails();
    List<String> labels = spec.row().stream().map(LabelledColumn::label).toList();
    List<String> shownRefs = spec.row().stream().map(LabelledColumn::ref).toList();
    this.shown = RowFailures.shown(labels, input, refs.positions(shownRefs, input));
    this.weight = input.size();
    this.key = refs.positionsOf(output.subList(TOLD, output.size()), input);
    this.types =
        ChangeIterator.concat(Projections.types(output), new DataType[] {DataTypes.IntegerType});
  }

  private static Expression shortKey(
      AttemptSpec attempt, Refs refs, List<Column> input, CallResolver calls) {
    List<Expression> columns = new ArrayList<>();
    for (int position : refs.positions(attempt.key(), input)) {
      Column column = input.get(position);
      columns.add(new BoundReference(position, column.type(), column.nullable()));
    }
    attempt.exprs().forEach(id -> columns.add(calls.condition(id, input)));
    return new ShortKey(Scala.seq(columns), attempt.text(), attempt.most(), attempt.ordered());
  }

  private Expression fails() {
    return new IsNull(
        Attempt.digests(attempted.stream().flatMap(each -> each.parts.stream()).toList()));
  }

  /** All rows, counted, and of them those that fail. */
  private Iterator<InternalRow> failing(Iterator<InternalRow> rows, OperatorCounters counters) {
    BasePredicate fail = fails == null ? null : Predicate.create(fails);
    return Iterators.filter(rows, row -> {
      counters.rowsIn++;
      return fail == null || fail.eval(row);
    });
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    UnsafeProjection projection = UnsafeProjection.create(types);
    GenericInternalRow told = new GenericInternalRow(types.length);
    return Iterators.transform(failing(inputs.get(0), counters), row -> {
      counters.rowsOut++;
      tell(row, told);
      told.update(TOLD - 1, UTF8String.fromString(RowFailures.show(shown, row)));
      for (int i = 0; i < key.length; i++) {
        told.update(TOLD + i, row.get(key[i], types[TOLD + i]));
      }
      told.setInt(types.length - 1, row.getInt(weight));
      return projection.apply(told);
    });
  }

  private void tell(InternalRow row, GenericInternalRow told) {
    for (Attempted each : attempted) {
      try {
        each.eval(row);
      } catch (Exception e) { // Spark's are checked, and Scala does not say so
        told.update(0, UTF8String.fromString(each.text));
        told.update(1, UTF8String.fromString(RowFailures.text(e)));
        return;
      }
    }
    told.update(0,
        UTF8String.fromString(String.join(", ", attempted.stream().map(Attempted::text).toList())));
    told.update(1, UTF8String.fromString("fails in generated code only"));
  }
}
