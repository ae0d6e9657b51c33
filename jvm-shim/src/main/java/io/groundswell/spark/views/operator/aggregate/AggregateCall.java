package io.groundswell.spark.views.operator.aggregate;

import static java.util.stream.Collectors.joining;

import io.groundswell.spark.views.contract.dataflow.part.CallSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.codec.ValueCodec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitAndAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitOrAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitXorAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.CentralMomentAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.StddevPop;
import org.apache.spark.sql.catalyst.expressions.aggregate.StddevSamp;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.expressions.aggregate.VariancePop;
import org.apache.spark.sql.catalyst.expressions.aggregate.VarianceSamp;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;

/**
 * One aggregate call.
 *
 * @param args positions of what it reads; none for {@code count(*)}
 * @param filter position of its FILTER condition, or -1
 * @param distinct whether each value counts once; always false for min and max
 * @param types of the arguments
 * @param result the call's type
 * @param appendOnly whether no value is ever taken away
 * @param spark Spark's own function, if the call has no accumulator of ours; else null
 */
record AggregateCall(Function function, int[] args, int filter, boolean distinct,
    List<DataType> types, DataType result, Overflow overflow, boolean appendOnly,
    CatalystFunction spark) implements Serializable {
  enum Function {
    COUNT,
    SUM,
    AVG,
    MIN,
    MAX,
    VAR_POP,
    VAR_SAMP,
    STDDEV_POP,
    STDDEV_SAMP,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    /** Any other: computed by Spark. */
    OTHER
  }

  /** What a result that its type cannot hold becomes. */
  enum Overflow {
    ERROR,
    NULL,
    /** Wraps around if integral; null if decimal; NaN if a moment of one value. */
    LEGACY
  }

  static AggregateCall of(
      CallSpec spec, List<Column> input, CallResolver calls, DataType result, boolean appendOnly) {
    Refs refs = new Refs(spec);
    AggregateFunction called = calls.resolve(spec.call()).aggregateFunction();
    int[] args = refs.positions(spec.args(), input);
    Function function = function(called);
    boolean partial = args.length == 3 && (function == Function.SUM || function == Function.AVG);
    if (function != Function.COUNT && args.length != 1 && !partial) {
      function = Function.OTHER;
    }
    boolean extreme = isExtreme(function);
    List<DataType> types = List.of(Projections.types(input, args));
    AggregateCall call =
        new AggregateCall(function, args, refs.positionOrNone(spec.filter(), input),
            spec.distinct() && !extreme, types, result, overflow(called), appendOnly,
            function == Function.OTHER ? CatalystFunction.of(refs, called) : null);
    if (call.ofDistinctValues() && args.length == 0) {
      throw refs.invalid("counts distinct values and needs the field \"args\"");
    }
    boolean compares = extreme || (call.distinct && call.spark == null);
    if (compares && types.stream().anyMatch(t -> ValueCodec.of(t) == null)) {
      throw refs.invalid("compares values of type " + types.stream().map(DataType::sql).toList()
          + ", which have no order");
    }
    try {
      call.accumulators(new ByteWriter()).get();
    } catch (IllegalArgumentException e) {
      throw refs.invalid("calls what is not supported: " + e.getMessage());
    }
    return call;
  }

  /** Its arguments in the name of a table. */
  String argsName() {
    return Arrays.stream(args).mapToObj(String::valueOf).collect(joining("-"));
  }

  /** The type of its only argument. */
  DataType type() {
    return types.get(0);
  }

  /** Whether it is {@code min} or {@code max}. */
  boolean isExtreme() {
    return isExtreme(function);
  }

  private static boolean isExtreme(Function function) {
    return function == Function.MIN || function == Function.MAX;
  }

  /** Whether it needs to know how often a group holds each value, and to have them in order. */
  boolean byValue() {
    return recomputed() || (!appendOnly && isExtreme());
  }

  /** Whether it is told of values when they come to a group first, and when the last one goes. */
  boolean ofDistinctValues() {
    return distinct && !recomputed();
  }

  /** Whether Spark computes it anew from all of a group's values when one has changed. */
  boolean recomputed() {
    return spark != null && (distinct || !appendOnly || !spark.keepsBuffer());
  }

  /** Whether what the state has of a group must be read before rows are added. */
  boolean readsFirst() {
    return spark != null && !recomputed();
  }

  /** Makes accumulators of one run, whose calls share {@code scratch}. */
  Supplier<Accumulators> accumulators(ByteWriter scratch) {
    return switch (function) {
      case COUNT -> CountAccumulators::new;
      case MIN, MAX -> objects(() -> new ExtremeAccumulator(this, scratch));
      case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> objects(() -> new MomentAccumulator(this));
      case BIT_AND, BIT_OR, BIT_XOR -> objects(() -> new BitAccumulator(this));
      case OTHER -> {
        CatalystFunction.Evaluator evaluator = spark.evaluator();
        yield objects(recomputed() ? ()
                                         -> new RecomputedAccumulator(evaluator, distinct)
                                   : () -> new BufferAccumulator(evaluator, types, args));
      }
      case SUM, AVG -> {
        if (type() instanceof DecimalType) {
          yield() -> new DecimalAccumulators(this);
        } else if (type() instanceof DoubleType || type() instanceof FloatType) {
          yield objects(() -> new DoubleAccumulator(this));
        }
        yield() -> new IntegralAccumulators(this);
      }
    };
  }

  private static Supplier<Accumulators> objects(Supplier<Accumulator> make) {
    return () -> new AccumulatorObjects(make);
  }

  /**
   * Whether a row is one that the call takes.
   *
   * @param filter position of a condition; -1: none
   */
  static boolean holds(int filter, InternalRow row) {
    return filter < 0 || (!row.isNullAt(filter) && row.getBoolean(filter));
  }

  static boolean anyNull(InternalRow row, int[] args) {
    for (int arg : args) {
      if (row.isNullAt(arg)) {
        return true;
      }
    }
    return false;
  }

  private static Function function(AggregateFunction called) {
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
    } else if (called instanceof VariancePop) {
      return Function.VAR_POP;
    } else if (called instanceof VarianceSamp) {
      return Function.VAR_SAMP;
    } else if (called instanceof StddevPop) {
      return Function.STDDEV_POP;
    } else if (called instanceof StddevSamp) {
      return Function.STDDEV_SAMP;
    } else if (called instanceof BitAndAgg) {
      return Function.BIT_AND;
    } else if (called instanceof BitOrAgg) {
      return Function.BIT_OR;
    } else if (called instanceof BitXorAgg) {
      return Function.BIT_XOR;
    }
    return Function.OTHER;
  }

  private static Overflow overflow(AggregateFunction called) {
    Object mode = null;
    if (called instanceof Sum sum) {
      mode = sum.evalContext().evalMode();
    } else if (called instanceof Average average) {
      mode = average.evalMode();
    } else if (called instanceof CentralMomentAgg) {
      boolean legacy = SQLConf.get().legacyStatisticalAggregate();
      return legacy ? Overflow.LEGACY : Overflow.NULL;
    }
    if (EvalMode.ANSI().equals(mode)) {
      return Overflow.ERROR;
    }
    return EvalMode.TRY().equals(mode) ? Overflow.NULL : Overflow.LEGACY;
  }
}
