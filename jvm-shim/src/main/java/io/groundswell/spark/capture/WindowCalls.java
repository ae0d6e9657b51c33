package io.groundswell.spark.capture;

import io.groundswell.spark.compat.Algebra;
import io.groundswell.spark.compat.Catalyst;
import io.groundswell.spark.compat.Scala;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDAF;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * Python functions over windows. The rows of a frame are collected by a window function of Spark's,
 * and the function takes the list. Where the frame is the partition, and has no order, each row
 * would have a copy of all: there the value of the partition, as a group, is joined with its rows.
 */
final class WindowCalls {
  /** Makes a call over a list of rows, whose columns are what the function takes. */
  interface Caller {
    Expression call(PythonUDAF function, Attribute rows);
  }

  private final Window window;
  private final Caller caller;

  private WindowCalls(Window window, Caller caller) {
    this.window = window;
    this.caller = caller;
  }

  /** The functions of Python among those of the window; Spark has no window with both kinds. */
  static List<PythonUDAF> functions(Window window) {
    List<NamedExpression> columns = Scala.list(window.windowExpressions());
    return columns.stream().map(WindowCalls::function).filter(Objects::nonNull).toList();
  }

  /** The same rows and columns; each of the window's functions is one of Python. */
  static LogicalPlan rewrite(Window window, Caller caller) {
    WindowCalls calls = new WindowCalls(window, caller);
    boolean grouped = window.orderSpec().isEmpty()
        && Scala.list(window.partitionSpec()).stream().allMatch(Attribute.class ::isInstance);
    return grouped ? calls.ofGroups() : calls.ofFrames();
  }

  private static PythonUDAF function(NamedExpression column) {
    return column instanceof Alias alias && alias.child() instanceof WindowExpression over
            && over.windowFunction() instanceof AggregateExpression call
            && call.aggregateFunction() instanceof PythonUDAF function
        ? function
        : null;
  }

  private LogicalPlan ofFrames() {
    List<NamedExpression> frames = new ArrayList<>();
    List<NamedExpression> list = new ArrayList<>(Scala.list(window.child().output()));
    for (NamedExpression column : Scala.list(window.windowExpressions())) {
      PythonUDAF function = function(column);
      WindowExpression over = (WindowExpression) ((Alias) column).child();
      NamedExpression rows = Catalyst.alias(
          new WindowExpression(WrappedFunctions.taken(function), over.windowSpec()), "_rows");
      frames.add(rows);
      list.add(result(column, rows.toAttribute()));
    }
    LogicalPlan collected = new Window(Scala.seq(frames), window.partitionSpec(),
        window.orderSpec(), window.child(), window.hint());
    return Catalyst.project(list, collected);
  }

  private LogicalPlan ofGroups() {
    List<Expression> keys = Scala.list(window.partitionSpec());
    List<NamedExpression> given = new ArrayList<>();
    keys.forEach(key -> given.add(Catalyst.alias(key, ((Attribute) key).name())));
    List<NamedExpression> list = new ArrayList<>();
    given.forEach(key -> list.add(key.toAttribute()));
    for (NamedExpression column : Scala.list(window.windowExpressions())) {
      NamedExpression rows = Catalyst.alias(WrappedFunctions.taken(function(column)), "_rows");
      given.add(rows);
      list.add(result(column, rows.toAttribute()));
    }
    LogicalPlan groups = Algebra.aggregate(keys, given, window.child());
    LogicalPlan values = Catalyst.project(list, groups);
    Expression same = IntStream.range(0, keys.size())
                          .mapToObj(i -> Algebra.same(keys.get(i), list.get(i).toAttribute()))
                          .reduce(Algebra::and)
                          .orElse(null);
    LogicalPlan joined = Algebra.join(window.child(), values, Inner$.MODULE$, same);
    return Catalyst.project(new ArrayList<>(Scala.list(window.output())), joined);
  }

  private NamedExpression result(NamedExpression column, Attribute rows) {
    return Catalyst.alias(caller.call(function(column), rows), column.name(), column.exprId());
  }
}
