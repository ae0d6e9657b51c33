package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDAF;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * Python functions over windows. The rows of a frame are collected by a window function of Spark's,
 * and the function takes the list. Where the frame is the partition, and has no order, each row
 * would have a copy of all: there the value of the partition, as a group, is joined with its rows.
 */
final class WindowCalls {
  /** What is known of Python's functions elsewhere. */
  interface Caller {
    /** A call over a list of rows, whose columns are what the function takes. */
    Expression call(PythonUDAF function, Attribute rows);

    /** An aggregate by such functions, said without them. */
    LogicalPlan values(Aggregate aggregate);
  }

  private final Window window;
  private final Caller caller;

  private WindowCalls(Window window, Caller caller) {
    this.window = window;
    this.caller = caller;
  }

  /** The window's functions if all are Python's, else none; Spark has no window with both kinds. */
  static List<PythonUDAF> functions(Window window) {
    List<NamedExpression> columns = Scala.list(window.windowExpressions());
    boolean all = columns.stream().allMatch(column -> function(column) != null);
    return all ? columns.stream().map(WindowCalls::function).toList() : List.of();
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
      Expression frame =
          new WindowExpression(WrappedFunctions.taken(function), over(column).windowSpec());
      NamedExpression rows = Catalyst.alias(frame, "_rows");
      frames.add(rows);
      Expression call = caller.call(function, rows.toAttribute());
      list.add(Catalyst.alias(call, column.name(), column.exprId()));
    }
    LogicalPlan collected = new Window(Scala.seq(frames), window.partitionSpec(),
        window.orderSpec(), window.child(), window.hint());
    return Catalyst.project(list, collected);
  }

  /** An aggregate by the partition, joined with its rows. */
  private LogicalPlan ofGroups() {
    List<Expression> keys = Scala.list(window.partitionSpec());
    List<NamedExpression> given = new ArrayList<>();
    Expression same = null;
    for (Expression key : keys) {
      NamedExpression renamed = Catalyst.alias(key, ((Attribute) key).name());
      given.add(renamed);
      Expression equal = Algebra.same(key, renamed.toAttribute());
      same = same == null ? equal : Algebra.and(same, equal);
    }
    for (NamedExpression column : Scala.list(window.windowExpressions())) {
      given.add(Catalyst.alias(over(column).windowFunction(), column.name(), column.exprId()));
    }
    LogicalPlan values = caller.values(Algebra.aggregate(keys, given, window.child()));
    LogicalPlan joined = Algebra.join(window.child(), values, Inner$.MODULE$, same);
    return Catalyst.project(new ArrayList<>(Scala.list(window.output())), joined);
  }

  private static WindowExpression over(NamedExpression column) {
    return (WindowExpression) ((Alias) column).child();
  }
}
