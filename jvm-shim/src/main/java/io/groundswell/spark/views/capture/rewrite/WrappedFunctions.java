package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.PythonFunctions;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.capture.FunctionColumn;
import io.groundswell.spark.views.contract.capture.FunctionDescription;
import io.groundswell.spark.views.contract.capture.FunctionDescriptions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.catalyst.expressions.Inline;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonFuncExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDAF;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.PythonUDTF;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapCoGroupsInArrow;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapCoGroupsInPandas;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapGroupsInArrow;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapGroupsInPandas;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.execution.python.UserDefinedPythonFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Python functions over whole groups, said as scalar functions of collected groups, which can be
 * kept: a group is a {@code collect_list} of its rows, and {@code inline} makes rows of what the
 * function gives; over windows see {@code WindowCalls}. Table functions, which would keep an object
 * for many rows, become functions that give the rows of one call. Python must wrap each function,
 * so that it takes lists: its {@code jvm/groups.py}.
 */
public final class WrappedFunctions {
  /**
   * Kinds ({@code PythonEvalType}) of functions of groups that give rows, of those that give a
   * value, and of table functions.
   */
  private static final Set<Integer> ROWS = Set.of(201, 206, 209, 210, 215, 216);

  private static final Set<Integer> VALUE = Set.of(202, 217, 252, 254);

  private static final Set<Integer> TABLE = Set.of(300, 301);

  private final List<FunctionDescription> described = new ArrayList<>();
  private final Map<Long, UserDefinedPythonFunction> wrappers = new HashMap<>();

  private final WindowCalls.Caller overWindows = new WindowCalls.Caller() {
    @Override
    public Expression call(PythonUDAF function, Attribute rows) {
      return ofList(function, rows, Scala.list(function.children())::indexOf);
    }

    @Override
    public LogicalPlan values(Aggregate aggregate) {
      return WrappedFunctions.this.values(aggregate);
    }
  };

  /**
   * The same analysed query; its calls of functions over groups are to be {@link #wrap wrapped}.
   */
  public LogicalPlan rewrite(LogicalPlan analyzed) {
    return analyzed.transformUpWithSubqueries(Scala.rule(this::rewriteNode));
  }

  /** The functions to wrap. */
  public FunctionDescriptions described() {
    return new FunctionDescriptions(described);
  }

  /** Names the function that takes lists of rows in the place of the called one. */
  public void wrap(long call, UserDefinedPythonFunction function) {
    wrappers.put(call, function);
  }

  /** The query with all calls wrapped. */
  public LogicalPlan wrapped(LogicalPlan rewritten) {
    return wrappers.isEmpty()
        ? rewritten
        : rewritten.transformUpWithSubqueries(Scala.rule(
              node -> node.transformExpressions(Scala.rule(expression -> wrapped(expression)))));
  }

  private Expression wrapped(Expression expression) {
    return expression instanceof PythonUDF udf && wrappers.containsKey(udf.resultId().id())
        ? PythonFunctions.wrapped(udf, wrappers.get(udf.resultId().id()).func())
        : expression;
  }

  private LogicalPlan rewriteNode(LogicalPlan node) {
    if (node instanceof FlatMapGroupsInPandas flat) {
      return rows(flat, flat.functionExpr(), Scala.list(flat.groupingAttributes()), flat.child());
    } else if (node instanceof FlatMapGroupsInArrow flat) {
      return rows(flat, flat.functionExpr(), Scala.list(flat.groupingAttributes()), flat.child());
    } else if (node instanceof FlatMapCoGroupsInPandas flat) {
      return rowsOfTwo(flat, flat.functionExpr(), keys(flat.left(), flat.leftGroupingLen()),
          flat.left(), keys(flat.right(), flat.rightGroupingLen()), flat.right());
    } else if (node instanceof FlatMapCoGroupsInArrow flat) {
      return rowsOfTwo(flat, flat.functionExpr(), keys(flat.left(), flat.leftGroupingLen()),
          flat.left(), keys(flat.right(), flat.rightGroupingLen()), flat.right());
    }
    if (node instanceof Generate generate
        && (Expression) generate.generator() instanceof PythonUDTF function) {
      return table(generate, function);
    }
    if (node instanceof Window window) {
      return isKnown(WindowCalls.functions(window)) ? WindowCalls.rewrite(window, overWindows)
                                                    : node;
    }
    return node instanceof Aggregate aggregate ? values(aggregate) : node;
  }

  /** A table function of values; over a table it stays. */
  private LogicalPlan table(Generate generate, PythonUDTF function) {
    if (!TABLE.contains(function.evalType()) || readsTable(function)) {
      return generate;
    }
    List<Expression> arguments = Scala.list(function.children());
    List<Expression> values = arguments.stream().map(WrappedFunctions::value).toList();
    DataType rows = DataTypes.createArrayType(function.elementSchema(), false);
    PythonUDF call = PythonFunctions.table(function, rows, values);
    describe(function, function.elementSchema(), call, 0, List.of(columns(arguments)));
    return new Generate((Generator) (Object) new Inline(call), generate.unrequiredChildIndex(),
        generate.outer(), generate.qualifier(), generate.generatorOutput(), generate.child());
  }

  private static boolean readsTable(PythonUDTF function) {
    List<Object> tables = new ArrayList<>();
    Scala.optional(function.tableArguments()).ifPresent(each -> tables.addAll(Scala.list(each)));
    return tables.contains(true);
  }

  private static Expression value(Expression argument) {
    return argument instanceof NamedArgumentExpression keyword ? keyword.value() : argument;
  }

  private static List<Attribute> keys(LogicalPlan plan, int count) {
    return Scala.list(plan.output()).subList(0, count);
  }

  /** Behind the keys stands what the function takes; its own arguments may be out of date. */
  private static List<Expression> columns(LogicalPlan plan, int keys) {
    return List.copyOf(Scala.list(plan.output()).subList(keys, plan.output().size()));
  }

  /** One side: a row a group, with its key and the list of its rows. */
  private record Collected(List<Attribute> keys, Attribute rows, LogicalPlan plan) {
    static Collected of(List<Attribute> keys, List<Expression> columns, LogicalPlan child) {
      List<NamedExpression> given = new ArrayList<>();
      keys.forEach(key -> given.add(Catalyst.alias(key, key.name())));
      List<Attribute> renamed = given.stream().map(NamedExpression::toAttribute).toList();
      NamedExpression rows = Catalyst.alias(collected(columns), "_rows");
      given.add(rows);
      LogicalPlan plan = Algebra.aggregate(new ArrayList<>(keys), given, child);
      return new Collected(renamed, rows.toAttribute(), plan);
    }
  }

  private static Expression collected(List<Expression> columns) {
    List<Expression> parts = new ArrayList<>();
    for (Expression column : columns) {
      parts.add(Algebra.text("c" + parts.size() / 2));
      parts.add(column);
    }
    return Algebra.collected(Algebra.namedStruct(parts));
  }

  private LogicalPlan rows(
      LogicalPlan node, Expression function, List<Attribute> keys, LogicalPlan child) {
    PythonUDF udf = (PythonUDF) function;
    if (!ROWS.contains(udf.evalType())) {
      return node;
    }
    List<Expression> columns = columns(child, keys.size());
    Collected groups = Collected.of(keys, columns, child);
    // without a key there is a row for no rows, too: no group
    LogicalPlan plan =
        keys.isEmpty() ? Algebra.filter(isFilled(groups.rows()), groups.plan()) : groups.plan();
    return inlined(udf, groups.keys(), List.of(groups.rows()), List.of(columns), node, plan);
  }

  private LogicalPlan rowsOfTwo(LogicalPlan node, Expression function, List<Attribute> leftKeys,
      LogicalPlan left, List<Attribute> rightKeys, LogicalPlan right) {
    PythonUDF udf = (PythonUDF) function;
    if (!ROWS.contains(udf.evalType())) {
      return node;
    }
    List<Expression> ofLeft = columns(left, leftKeys.size());
    List<Expression> ofRight = columns(right, rightKeys.size());
    Collected one = Collected.of(leftKeys, ofLeft, left);
    Collected other = Collected.of(rightKeys, ofRight, right);
    LogicalPlan plan;
    List<NamedExpression> list = new ArrayList<>();
    if (leftKeys.isEmpty()) {
      plan = Algebra.filter(Algebra.or(isFilled(one.rows()), isFilled(other.rows())),
          Algebra.cross(one.plan(), other.plan()));
    } else {
      Expression same = null;
      for (int i = 0; i < leftKeys.size(); i++) {
        Attribute a = one.keys().get(i);
        Attribute b = other.keys().get(i);
        Expression equal = Algebra.same(a, b);
        same = same == null ? equal : Algebra.and(same, equal);
        list.add(Catalyst.alias(Algebra.coalesce(a, b), a.name()));
      }
      plan = Algebra.join(one.plan(), other.plan(), FullOuter$.MODULE$, same);
    }
    List<Attribute> keys = list.stream().map(NamedExpression::toAttribute).toList();
    list.add(one.rows());
    list.add(other.rows());
    return inlined(udf, keys, List.of(one.rows(), other.rows()), List.of(ofLeft, ofRight), node,
        Catalyst.project(list, plan));
  }

  private static Expression isFilled(Attribute rows) {
    return Algebra.greater(Algebra.cast(Algebra.size(rows), DataTypes.LongType), 0);
  }

  /** The function's rows, in the columns of the node that called it. */
  private LogicalPlan inlined(PythonUDF udf, List<Attribute> keys, List<Attribute> lists,
      List<List<Expression>> columns, LogicalPlan node, LogicalPlan child) {
    List<Expression> arguments = new ArrayList<>();
    if (!keys.isEmpty()) {
      arguments.add(Catalyst.struct(keys));
    }
    arguments.addAll(lists);
    DataType rows = DataTypes.createArrayType(udf.dataType(), false);
    PythonUDF call = PythonFunctions.scalar(udf, rows, arguments);
    describe(udf, udf.dataType(), call, keys.size(),
        columns.stream().map(WrappedFunctions::columns).toList());
    NamedExpression result = Catalyst.alias(call, "_result");
    List<Attribute> output = Scala.list(node.output());
    LogicalPlan generate = Algebra.generate((Generator) (Object) new Inline(result.toAttribute()),
        false, output, Catalyst.project(List.of(result), child));
    return Catalyst.project(new ArrayList<>(output), generate);
  }

  private void describe(PythonFuncExpression function, DataType returns, PythonUDF call, int keys,
      List<List<FunctionColumn>> columns) {
    described.add(
        new FunctionDescription(call.resultId().id(), function.name(), function.evalType(),
            Base64.getEncoder().encodeToString(PythonFunctions.command(function.func())), returns,
            keys, columns));
  }

  /** A list's columns, all of which are taken. */
  private static List<FunctionColumn> columns(List<Expression> list) {
    List<FunctionColumn> columns = new ArrayList<>();
    list.forEach(each -> columns.add(new FunctionColumn(columns.size(), name(each))));
    return columns;
  }

  private static String name(Expression argument) {
    return argument instanceof NamedExpression named          ? named.name()
        : argument instanceof NamedArgumentExpression keyword ? "=" + keyword.key()
                                                              : argument.sql();
  }

  /** Aggregates by functions of Python; other aggregates may stand beside them. */
  private LogicalPlan values(Aggregate aggregate) {
    List<PythonUDAF> functions = new ArrayList<>();
    for (NamedExpression result : Scala.list(aggregate.aggregateExpressions())) {
      collect((Expression) result, functions);
    }
    return isKnown(functions) ? new Values(aggregate, functions).plan() : aggregate;
  }

  private static boolean isKnown(List<PythonUDAF> functions) {
    return !functions.isEmpty()
        && functions.stream().allMatch(each -> VALUE.contains(each.evalType()));
  }

  /** The rows that a function of values takes: its arguments, in their order. */
  static Expression taken(PythonUDAF function) {
    List<Expression> arguments = Scala.list(function.children());
    return collected(arguments.stream().map(WrappedFunctions::value).toList());
  }

  /**
   * A function of values over a list of rows.
   *
   * @param position of an argument among the columns of the list
   */
  private PythonUDF ofList(
      PythonUDAF function, Attribute rows, ToIntFunction<Expression> position) {
    PythonUDF call = PythonFunctions.scalar(function, function.dataType(), List.of(rows));
    List<FunctionColumn> columns = new ArrayList<>();
    for (Expression argument : Scala.list(function.children())) {
      columns.add(new FunctionColumn(position.applyAsInt(argument), name(argument)));
    }
    describe(function, function.dataType(), call, 0, List.of(columns));
    return call;
  }

  private static void collect(Expression expression, List<PythonUDAF> found) {
    if (expression instanceof PythonUDAF function) {
      found.add(function);
    }
    Scala.list(expression.children()).forEach(child -> collect(child, found));
  }

  /** One aggregate on its way. */
  private final class Values {
    private final Aggregate aggregate;
    private final List<Expression> grouping;
    private final List<NamedExpression> given = new ArrayList<>();
    private final List<Expression> columns = new ArrayList<>();

    Values(Aggregate aggregate, List<PythonUDAF> functions) {
      this.aggregate = aggregate;
      this.grouping = Scala.list(aggregate.groupingExpressions());
      functions.forEach(each -> Scala.list(each.children()).forEach(this::position));
    }

    LogicalPlan plan() {
      for (Expression key : grouping) {
        given.add(key instanceof Attribute attribute ? attribute : Catalyst.alias(key, "_key"));
      }
      NamedExpression rows = Catalyst.alias(collected(columns), "_rows");
      given.add(rows);
      List<NamedExpression> list = new ArrayList<>();
      for (NamedExpression result : Scala.list(aggregate.aggregateExpressions())) {
        Expression over = (Expression) result;
        over = over.transformDown(Scala.rule(part -> over(part, rows.toAttribute())));
        list.add(over instanceof NamedExpression named && named.exprId().equals(result.exprId())
                ? named
                : Catalyst.alias(over, result.name(), result.exprId()));
      }
      LogicalPlan groups = Algebra.aggregate(grouping, given, aggregate.child());
      return Catalyst.project(
          list, grouping.isEmpty() ? Algebra.filter(isFilled(rows.toAttribute()), groups) : groups);
    }

    private int position(Expression argument) {
      Expression value = value(argument);
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).semanticEquals(value)) {
          return i;
        }
      }
      columns.add(value);
      return columns.size() - 1;
    }

    /** A part of a result, over what the inner aggregate gives. */
    private Expression over(Expression part, Attribute rows) {
      for (int i = 0; i < grouping.size(); i++) {
        if (part.semanticEquals(grouping.get(i))) {
          return given.get(i).toAttribute();
        }
      }
      if (!(part instanceof AggregateExpression call)) {
        return part;
      }
      if (!(call.aggregateFunction() instanceof PythonUDAF function)) {
        NamedExpression other = Catalyst.alias(call, "_value");
        given.add(other);
        return other.toAttribute();
      }
      return ofList(function, rows, this::position);
    }
  }
}
