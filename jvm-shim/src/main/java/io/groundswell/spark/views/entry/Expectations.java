package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.ExpectRows;
import io.groundswell.spark.shims.Expected;
import io.groundswell.spark.shims.Scala;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.functions;

/** Queries whose rows are to meet conditions. */
public final class Expectations {
  private Expectations() {}

  /**
   * The same query, whose rows are to meet a condition.
   *
   * @param owner the view
   * @param name of the constraint
   * @param condition in SQL, over the columns of the query
   * @param action what becomes of a row that does not meet it
   */
  public static Dataset<Row> of(
      Dataset<Row> frame, String owner, String name, String condition, String action) {
    SparkSession session = Catalyst.session(frame);
    // By the settings of this session, whichever one is the thread's: they are part of what DIV is.
    Expression parsed = session.expression(functions.expr(condition));
    // An alias of its own: names of the condition are those of the view's columns, and no others.
    LogicalPlan rows = Catalyst.analyzed(frame.as(owner));
    Dataset<Row> made = analyzed(
        session, new ExpectRows(new Expected(parsed, owner, name, condition), action, rows));
    Scala.list(Catalyst.analyzed(made).expressions()).forEach(Expectations::check);
    return made;
  }

  /** Spark's error names the plan's node; the user has written a condition. */
  private static Dataset<Row> analyzed(SparkSession session, LogicalPlan plan) {
    try {
      return Catalyst.ofRows(session, plan);
    } catch (Exception e) {
      String what = e instanceof SparkThrowable named && named.getCondition() != null
          ? overRows(named)
          : null;
      if (what == null) {
        throw e;
      }
      throw new IllegalArgumentException("it has " + what + ", and must be about the row alone");
    }
  }

  private static String overRows(SparkThrowable error) {
    if (error.getCondition().startsWith("UNSUPPORTED_GENERATOR")) {
      return "a function that makes rows";
    }
    return error.getCondition().equals("UNSUPPORTED_EXPR_FOR_OPERATOR")
        ? error.getMessageParameters().get("invalidExprSqls").replace("\"", "")
        : null;
  }

  private static void check(Expression expression) {
    if (SubqueryExpression.hasSubquery(expression)) {
      throw new IllegalArgumentException("it has a subquery, and must be about the row alone");
    }
    if (expression.exists(Scala.function(part -> part instanceof PythonUDF))) {
      throw new IllegalArgumentException(
          "it calls a Python function, and must be an expression of SQL: compute what the function "
          + "gives in the view's query");
    }
  }
}
