package io.groundswell.spark.operator;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;

/**
 * One aggregate call.
 *
 * @param arg position of its argument; -1 for {@code count(*)}
 * @param filter position of its FILTER condition, or -1
 * @param distinct whether each value counts once; always false for min and max
 * @param type the argument's type, or null
 * @param result the call's type
 * @param appendOnly whether no value is ever taken away
 */
record AggregateCall(Function function, int arg, int filter, boolean distinct, DataType type,
    DataType result, Overflow overflow, boolean appendOnly) implements Serializable {
  enum Function { COUNT, SUM, AVG, MIN, MAX }

  /** What a sum that its type cannot hold becomes. */
  enum Overflow {
    ERROR,
    NULL,
    /** Wraps around if integral; null if decimal. */
    LEGACY
  }

  static AggregateCall of(
      Spec spec, List<Column> input, CallResolver calls, DataType result, boolean appendOnly) {
    AggregateFunction called = calls.resolve(spec.text("call")).aggregateFunction();
    Function function = function(spec, called);
    int arg = spec.positionOrNone("arg", input);
    if (arg < 0 && function != Function.COUNT) {
      throw spec.invalid("needs the field \"arg\"");
    }
    boolean extreme = function == Function.MIN || function == Function.MAX;
    AggregateCall call = new AggregateCall(function, arg, spec.positionOrNone("filter", input),
        spec.flag("distinct") && !extreme, arg < 0 ? null : input.get(arg).type(), result,
        overflow(called), appendOnly);
    if (call.distinct && arg < 0) {
      throw spec.invalid("counts distinct values and needs the field \"arg\"");
    }
    if ((extreme || call.distinct) && ValueCodec.of(call.type) == null) {
      throw spec.invalid("compares values of type " + call.type.sql() + ", which have no order");
    }
    try {
      call.accumulator(new ByteWriter());
    } catch (IllegalArgumentException e) {
      throw spec.invalid("calls what is not supported: " + e.getMessage());
    }
    return call;
  }

  /** Whether it needs to know how often a group holds each value. */
  boolean byValue() {
    return distinct || (!appendOnly && (function == Function.MIN || function == Function.MAX));
  }

  /** A new accumulator; {@code scratch} may be shared by all of a task. */
  Accumulator accumulator(ByteWriter scratch) {
    return switch (function) {
      case COUNT -> new Accumulator.Count();
      case MIN, MAX -> new ExtremeAccumulator(this, scratch);
      case SUM, AVG -> {
        if (type instanceof DecimalType) {
          yield new DecimalAccumulator(this);
        } else if (type instanceof DoubleType || type instanceof FloatType) {
          yield new DoubleAccumulator(this);
        }
        yield new IntegralAccumulator(this);
      }
    };
  }

  private static Function function(Spec spec, AggregateFunction called) {
    if (called instanceof Count) {
      return Function.COUNT;
    } else if (called instanceof Sum) {
      return Function.SUM;
    } else if (called instanceof Average) {
      return Function.AVG;
    } else if (called instanceof Min) {
      return Function.MIN;
    } else if (called instanceof Max) {
      return Function.MAX;
    }
    throw spec.invalid("calls " + called.prettyName() + "; there are count, sum, avg, min and max");
  }

  private static Overflow overflow(AggregateFunction called) {
    Object mode = null;
    if (called instanceof Sum sum) {
      mode = sum.evalContext().evalMode();
    } else if (called instanceof Average average) {
      mode = average.evalMode();
    }
    if (EvalMode.ANSI().equals(mode)) {
      return Overflow.ERROR;
    }
    return EvalMode.TRY().equals(mode) ? Overflow.NULL : Overflow.LEGACY;
  }
}
