package io.groundswell.spark.shims;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BitwiseAnd;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.Greatest;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.RaiseError;
import org.apache.spark.sql.catalyst.expressions.RankLike;
import org.apache.spark.sql.catalyst.expressions.Sequence;
import org.apache.spark.sql.catalyst.expressions.ShiftRight;
import org.apache.spark.sql.catalyst.expressions.Size;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.WindowFrame;
import org.apache.spark.sql.catalyst.expressions.WindowSpecDefinition;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression$;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectList;
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.First;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Operators and expressions that rewritten plans are made of. */
public final class Algebra {
  private Algebra() {}

  /**
   * @param condition null: every row meets every other
   */
  public static Join join(
      LogicalPlan left, LogicalPlan right, JoinType type, Expression condition) {
    return new Join(left, right, type, scala.Option.apply(condition), JoinHint.NONE());
  }

  /** All pairs. */
  public static Join cross(LogicalPlan left, LogicalPlan right) {
    return join(left, right, Inner$.MODULE$, null);
  }

  public static Aggregate aggregate(
      List<Expression> grouping, List<NamedExpression> given, LogicalPlan child) {
    return new Aggregate(Scala.seq(grouping), Scala.seq(given), child, Scala.none());
  }

  /** Its output is the child's and the generator's. */
  public static Generate generate(
      Generator generator, boolean outer, List<Attribute> output, LogicalPlan child) {
    return new Generate(generator, Catalyst.nil(), outer, Scala.none(), Scala.seq(output), child);
  }

  /** The number of rows. */
  /** Which of so many parts a row belongs to, by the hash of columns. */
  public static Expression bucket(List<? extends Expression> columns, int count) {
    return new HashPartitioning(Scala.seq(columns), count).partitionIdExpression();
  }

  public static Expression count() {
    return count(number(1));
  }

  /** The number of rows in which the argument is not null. */
  public static Expression count(Expression argument) {
    return call(new Count(Scala.seq(List.of(argument))));
  }

  /** All values that are not null, as an array. */
  public static Expression collected(Expression argument) {
    return call(new CollectList(argument));
  }

  public static Expression max(Expression argument) {
    return call(new Max(argument));
  }

  public static Expression first(Expression argument) {
    return call(new First(argument, false));
  }

  public static Expression min(Expression argument) {
    return call(new Min(argument));
  }

  public static Expression sum(Expression argument) {
    return call(new Sum(argument));
  }

  private static Expression call(AggregateFunction function) {
    return AggregateExpression$.MODULE$.apply(
        function, Complete$.MODULE$, false, Scala.none(), Catalyst.newExprId());
  }

  /** The same call, of another function. */
  public static Expression call(AggregateExpression call, AggregateFunction function) {
    return new AggregateExpression(
        function, call.mode(), call.isDistinct(), call.filter(), Catalyst.newExprId());
  }

  public static Window window(List<NamedExpression> functions, List<Expression> partition,
      List<SortOrder> order, LogicalPlan child) {
    return new Window(
        Scala.seq(functions), Scala.seq(partition), Scala.seq(order), child, Scala.none());
  }

  /** The same limit by other keys. */
  public static WindowGroupLimit groupLimit(WindowGroupLimit limit, List<Expression> partition,
      List<SortOrder> order, LogicalPlan child) {
    return new WindowGroupLimit(
        Scala.seq(partition), Scala.seq(order), limit.rankLikeFunction(), limit.limit(), child);
  }

  public static WindowSpecDefinition spec(
      List<Expression> partition, List<SortOrder> order, WindowFrame frame) {
    return new WindowSpecDefinition(Scala.seq(partition), Scala.seq(order), frame);
  }

  /** The same rank by another order. */
  public static Expression rank(RankLike rank, List<SortOrder> order) {
    return rank.withOrder(Scala.seq(order.stream().map(SortOrder::child).toList()));
  }

  /** The same place in an order, of another value. */
  public static SortOrder order(SortOrder key, Expression value) {
    return new SortOrder(value, key.direction(), key.nullOrdering(), Catalyst.nil());
  }

  /** The same sort by another order. */
  public static Sort sort(Sort sort, List<SortOrder> order) {
    return new Sort(Scala.seq(order), sort.global(), sort.child(), sort.hint());
  }

  public static Expression greater(Expression left, long right) {
    return new GreaterThan(left, number(right));
  }

  public static Expression equal(Expression left, long right) {
    return new EqualTo(left, number(right));
  }

  /** Equal, or both null. */
  public static Expression same(Expression left, Expression right) {
    return new EqualNullSafe(left, right);
  }

  public static Expression and(Expression left, Expression right) {
    return new And(left, right);
  }

  public static Expression or(Expression left, Expression right) {
    return new Or(left, right);
  }

  public static Expression coalesce(Expression first, Expression second) {
    return new Coalesce(Scala.seq(List.of(first, second)));
  }

  public static Expression size(Expression array) {
    return new Size(array, false);
  }

  public static LogicalPlan filter(Expression condition, LogicalPlan child) {
    return new Filter(condition, child);
  }

  public static Literal text(String value) {
    return Literal.create(value, DataTypes.StringType);
  }

  public static Expression either(Expression condition, Expression then, Expression otherwise) {
    return new If(condition, then, otherwise);
  }

  public static Expression none(DataType type) {
    return Literal.create(null, type);
  }

  public static Literal number(long value) {
    return Literal.create(value, DataTypes.LongType);
  }

  public static Literal integer(int value) {
    return Literal.create(value, DataTypes.IntegerType);
  }

  public static Expression greatest(Expression left, Expression right) {
    return new Greatest(Scala.seq(List.of(left, right)));
  }

  /** Fails with this message when it is evaluated. */
  public static Expression raise(String message, DataType type) {
    return cast(new RaiseError(Literal.create(message, DataTypes.StringType)), type);
  }

  public static Expression cast(Expression value, DataType type) {
    return new Cast(value, type, Scala.none(), Cast.apply$default$4());
  }

  /** Fails where a value is none of the type, whatever the ANSI mode. */
  public static Expression ansiCast(Expression value, DataType type) {
    return new Cast(value, type, Scala.none(), EvalMode.ANSI());
  }

  /** A double as a long; what is too large is the largest there is, whatever the ANSI mode. */
  public static Expression saturated(Expression value) {
    return new Cast(value, DataTypes.LongType, Scala.none(), EvalMode.LEGACY());
  }

  public static Expression and(Expression left, long right) {
    return new BitwiseAnd(left, number(right));
  }

  public static Expression shiftRight(Expression value, int bits) {
    return new ShiftRight(value, Literal.create(bits, DataTypes.IntegerType));
  }

  /** The numbers from 1 to {@code end}, which is not less. */
  public static Expression sequence(Expression end) {
    Expression last = cast(end, DataTypes.LongType);
    return new Sequence(number(1), last, Scala.none(), scala.Option.apply("UTC"));
  }

  public static Expression array(List<Expression> elements) {
    return new CreateArray(Scala.seq(elements));
  }

  /**
   * @param parts name, value, name, value, ...
   */
  public static Expression namedStruct(List<Expression> parts) {
    return new CreateNamedStruct(Scala.seq(parts));
  }
}
