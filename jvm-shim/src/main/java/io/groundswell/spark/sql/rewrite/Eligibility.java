package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.KnownRelation;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import io.groundswell.spark.views.facts.Facts;
import io.groundswell.spark.views.facts.FactsTable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.trees.TreePattern$;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StringType;

/** Which views may answer queries: those whose rows are a function of the rows of relations. */
public final class Eligibility {
  private static final List<Class<? extends LogicalPlan>> OPERATORS =
      List.of(Project.class, Filter.class, Join.class, Aggregate.class, Union.class, Expand.class,
          Generate.class, LocalRelation.class, KnownRelation.class);

  private Eligibility() {}

  /**
   * Why the rows of a view may differ from those that Spark computes; null: they do not.
   *
   * @param analyzed the view's query, as it was analysed
   * @param rounding whether sums of doubles may be rounded in another way
   */
  public static String whyNot(LogicalPlan analyzed, boolean rounding) {
    if (analyzed.containsPattern(TreePattern$.MODULE$.CURRENT_LIKE())) {
      return "its query asks what time it is, or who asks";
    }
    return ofPlan(analyzed, rounding);
  }

  /**
   * The same of the optimised query.
   *
   * @throws NotContainedException it has an operator whose rows depend on more than its inputs
   */
  public static void check(LogicalPlan optimized) throws NotContainedException {
    if (!OPERATORS.contains(optimized.getClass())) {
      throw new NotContainedException(Step.COLUMNS,
          "its query has a " + optimized.nodeName() + ", which can give other rows in batch");
    }
    for (LogicalPlan child : Scala.list(optimized.children())) {
      check(child);
    }
    for (LogicalPlan subquery : Scala.list(optimized.subqueries())) {
      throw new NotContainedException(
          Step.COLUMNS, "its query has a subquery, " + subquery.nodeName());
    }
  }

  private static String ofPlan(LogicalPlan plan, boolean rounding) {
    for (Expression expression : Scala.list(plan.expressions())) {
      String why = ofExpression(expression, rounding);
      if (why != null) {
        return why;
      }
    }
    for (Attribute column : Scala.list(plan.output())) {
      if (column.resolved()
          && column.dataType().existsRecursively(Scala.mapping(
              type -> type instanceof StringType text && !text.supportsBinaryEquality()))) {
        return "its column " + column.name() + " has a collation in which texts that differ are "
            + "equal";
      }
    }
    for (LogicalPlan child : Scala.list(plan.children())) {
      String why = ofPlan(child, rounding);
      if (why != null) {
        return why;
      }
    }
    return null;
  }

  private static String ofExpression(Expression expression, boolean rounding) {
    Facts facts = FactsTable.of(expression);
    boolean known = switch (facts.variesWith()) {
      case NOTHING, SAID, ARGUMENTS -> true; // arguments that make it vary are in no view
      default -> false;
    };
    if (!known || !expression.deterministic()) {
      return "it is not known that " + expression.sql() + " always has the same value";
    } else if (facts.comparableBy() == Facts.ComparableBy.ORDER
        || facts.comparableBy() == Facts.ComparableBy.CHANCE) {
      return "the value of " + expression.sql() + " depends on the order of rows";
    } else if (!rounding && isRounded(expression, facts)) {
      return expression.sql() + " is rounded in the order of its rows: set "
          + "spark.groundswell.useViews.rounding if the last digits may differ, or use decimals";
    }
    if (expression instanceof RuntimeReplaceable named) {
      return ofExpression(named.replacement(), rounding);
    }
    for (Expression child : Scala.list(expression.children())) {
      String why = ofExpression(child, rounding);
      if (why != null) {
        return why;
      }
    }
    return null;
  }

  /** Averages of whole numbers are computed with doubles, too. */
  private static boolean isRounded(Expression expression, Facts facts) {
    if (expression instanceof Sum sum) {
      return sum.dataType().defaultSize() > 0
          && (sum.dataType().typeName().equals("double")
              || sum.dataType().typeName().equals("float"));
    } else if (expression instanceof Average average) {
      return !(average.dataType() instanceof DecimalType);
    }
    return facts.comparableBy() == Facts.ComparableBy.ROUNDING
        && !(expression instanceof PythonUDF);
  }
}
