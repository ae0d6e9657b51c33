package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.part.CallSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Refs;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Folds a barrier's rows by group where they are, in Spark's generated code, so that a group
 * crosses the exchange and touches its state once for each partition of the input.
 *
 * <p>What it gives for a call: {@code count}: the count; {@code min}, {@code max}: the value, null
 * if there is none; {@code sum}, {@code avg}: the sum of the upper halves, that of the lower halves
 * as unsigned, and the number of values. Sums of halves cannot overflow, so the whole stays exact.
 * A FILTER is applied here.
 *
 * @param spec the operator whose rows are folded
 * @param calls its calls over what this gives: each one's {@code args} are what it is given
 * @param rows ref of the number of rows folded
 * @param columns what it gives, without the weight
 */
public record PartialAggregation(AggregateSpec spec, List<CallSpec> calls, String rows,
    List<Column> columns, List<Expression> grouping, List<NamedExpression> results) {
  private static final Set<String> FOLDED = Set.of("count", "sum", "avg", "min", "max");
  private static final Set<DataType> WHOLE =
      Set.of(DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType);
  private static final Set<DataType> TIMES =
      Set.of(DataTypes.DateType, DataTypes.TimestampType, DataTypes.TimestampNTZType);

  /**
   * Null if the rows must travel as they are: if some may be taken back, a call needs the values
   * themselves (DISTINCT, floating point, ...), or its values have no fixed width.
   */
  public static PartialAggregation of(
      AggregateSpec spec, List<Column> input, CallResolver resolver) {
    if (!spec.appendOnly() || !spec.calls().stream().allMatch(call -> isFolded(call, input))) {
      return null;
    }
    return new Builder(spec, input, resolver).build();
  }

  private static boolean isFolded(CallSpec call, List<Column> input) {
    String function = call.fn();
    int[] args = new Refs(call).positions(call.args(), input);
    if (call.distinct() || !FOLDED.contains(function)) {
      return false;
    }
    if (function.equals("count")) {
      return args.length < 2;
    }
    DataType type = args.length == 1 ? input.get(args[0]).type() : DataTypes.NullType;
    boolean extreme = function.equals("min") || function.equals("max");
    return WHOLE.contains(type) || (extreme && TIMES.contains(type));
  }

  /** The plan over rows of the input, {@code weight} included. */
  public LogicalPlan over(LogicalPlan input, Attribute weight) {
    LogicalPlan folded = Algebra.aggregate(grouping, results, input);
    List<NamedExpression> list = new ArrayList<>();
    results.forEach(result -> list.add(result.toAttribute()));
    list.add(Catalyst.alias(
        Algebra.cast(Algebra.number(1), weight.dataType()), weight.name(), weight.exprId()));
    return Catalyst.project(list, folded);
  }

  private static final class Builder {
    private final AggregateSpec spec;
    private final List<Column> input;
    private final CallResolver resolver;
    private final List<Column> columns = new ArrayList<>();
    private final List<NamedExpression> results = new ArrayList<>();
    private final List<Expression> grouping = new ArrayList<>();
    private List<String> args;

    Builder(AggregateSpec spec, List<Column> input, CallResolver resolver) {
      this.spec = spec;
      this.input = input;
      this.resolver = resolver;
    }

    PartialAggregation build() {
      for (int position : new Refs(spec).positions(spec.grouping(), input)) {
        Attribute attribute = resolver.attribute(input.get(position).ref());
        grouping.add((Expression) attribute);
        results.add(attribute);
        columns.add(input.get(position));
      }
      String rows = add(Algebra.count(), DataTypes.LongType);
      List<CallSpec> calls = new ArrayList<>();
      for (CallSpec call : spec.calls()) {
        args = new ArrayList<>();
        fold(call, rows);
        calls.add(new CallSpec(call.call(), call.fn(), args, null, call.distinct(), call.out()));
      }
      return new PartialAggregation(spec, calls, rows, List.copyOf(columns), grouping, results);
    }

    private void fold(CallSpec call, String rows) {
      int[] positions = new Refs(call).positions(call.args(), input);
      if (positions.length == 0) {
        if (call.filter() != null) {
          give(Algebra.count(seen(call, Algebra.number(1))), DataTypes.LongType);
        } else {
          args.add(rows);
        }
        return;
      }
      Column column = input.get(positions[0]);
      Expression value = (Expression) resolver.attribute(column.ref());
      switch (call.fn()) {
        case "count" -> give(Algebra.count(seen(call, value)), DataTypes.LongType);
        case "min" -> give(Algebra.min(seen(call, value)), column.type());
        case "max" -> give(Algebra.max(seen(call, value)), column.type());
        default -> sums(call, Algebra.cast(value, DataTypes.LongType), column.type());
      }
    }

    /** An average of longs adds what Spark adds: each as a double, of which 2^63 is one. */
    private void sums(CallSpec call, Expression value, DataType type) {
      boolean rounded = call.fn().equals("avg") && type.equals(DataTypes.LongType);
      Expression whole =
          rounded ? Algebra.saturated(Algebra.cast(value, DataTypes.DoubleType)) : value;
      Expression low = Algebra.and(whole, 0xFFFFFFFFL);
      if (rounded) {
        low =
            Algebra.either(Algebra.equal(whole, Long.MAX_VALUE), Algebra.number(0x100000000L), low);
      }
      give(Algebra.sum(seen(call, Algebra.shiftRight(whole, 32))), DataTypes.LongType);
      give(Algebra.sum(seen(call, low)), DataTypes.LongType);
      give(Algebra.count(seen(call, value)), DataTypes.LongType);
    }

    /** The value where the call's FILTER holds, else null. */
    private Expression seen(CallSpec call, Expression value) {
      if (call.filter() == null) {
        return value;
      }
      Column filter = input.get(new Refs(call).position(call.filter(), input));
      return Algebra.either(
          (Expression) resolver.attribute(filter.ref()), value, Algebra.none(value.dataType()));
    }

    private void give(Expression call, DataType type) {
      args.add(add(call, type));
    }

    private String add(Expression call, DataType type) {
      String ref = "partial" + results.size();
      results.add(Catalyst.alias(call, ref));
      columns.add(new Column(ref, ref, type, true));
      return ref;
    }
  }
}
