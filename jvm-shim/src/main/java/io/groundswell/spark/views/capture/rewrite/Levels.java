package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases$;
import org.apache.spark.sql.catalyst.analysis.EliminateView$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.Cross$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.ResolvedHint;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import scala.collection.immutable.Seq;

/**
 * The step of a recursion with the level of each row that it gives: the rows of the recursion say
 * which level what is made of them has, and of several the highest counts. So only what gives more
 * rows for more rows may stand over the recursion's own.
 */
public final class Levels {
  /** The last column of what stands for the rows of the recursion, and of what is made of it. */
  public static final String LEVEL = "_groundswell_level";

  /** Of rows that are not made of any. */
  private static final int FIRST = 0;

  private final Function<LogicalPlan, Boolean> isFeedback;
  private final boolean bag;

  /**
   * @param level null: no row of the recursion is below
   */
  private record Threaded(LogicalPlan plan, Attribute level) {}

  private Levels(Function<LogicalPlan, Boolean> isFeedback, boolean bag) {
    this.isFeedback = isFeedback;
    this.bag = bag;
  }

  /**
   * A step's columns, and one more: the level of the row.
   *
   * @param isFeedback tells the leaves that stand for the rows of the recursion
   * @param bag whether equal rows count
   * @throws IllegalArgumentException if the step cannot be followed; says what stands in the way
   */
  public static LogicalPlan of(
      LogicalPlan step, Function<LogicalPlan, Boolean> isFeedback, boolean bag) {
    LogicalPlan plain = EliminateView$.MODULE$.apply(EliminateSubqueryAliases$.MODULE$.apply(step));
    Levels levels = new Levels(isFeedback, bag);
    Threaded made = levels.visit(plain);
    if (made.level() == null) {
      throw new IllegalArgumentException(
          "its step does not read the rows of the recursion itself, so nothing recurs");
    }
    return beside(plain.output(), Catalyst.alias(made.level(), LEVEL), made.plan());
  }

  /** The first rows of a recursion, with their level. */
  public static LogicalPlan first(LogicalPlan base) {
    return beside(base.output(), Catalyst.alias(Algebra.integer(FIRST), LEVEL), base);
  }

  /** Columns of a plan, and a level as one more. */
  private static LogicalPlan beside(
      Seq<? extends NamedExpression> columns, NamedExpression level, LogicalPlan plan) {
    List<NamedExpression> all = new ArrayList<>(Scala.list(columns));
    all.add(level);
    return Catalyst.project(all, plan);
  }

  private Threaded visit(LogicalPlan node) {
    if (isFeedback.apply(node)) {
      List<Attribute> output = Scala.list(node.output());
      return new Threaded(node, output.get(output.size() - 1));
    }
    boolean inside = Scala.list(node.subqueries())
                         .stream()
                         .anyMatch(plan -> plan.exists(Scala.function(isFeedback::apply)));
    if (inside) {
      throw refused("a subquery over the rows of the recursion");
    }
    List<Threaded> below = new ArrayList<>();
    Scala.list(node.children()).forEach(child -> below.add(visit(child)));
    if (below.stream().allMatch(each -> each.level() == null)) {
      return new Threaded(node, null);
    }
    if (node instanceof Join join) {
      return joined(join, below.get(0), below.get(1));
    }
    if (node instanceof Union union && !union.byName()) {
      return united(union, below);
    }
    Threaded only = below.get(0);
    if (node instanceof Project project) {
      return new Threaded(beside(project.projectList(), only.level(), only.plan()), only.level());
    }
    if (node instanceof Filter || node instanceof ResolvedHint || node instanceof Generate) {
      LogicalPlan same = node.withNewChildren(Scala.seq(List.of(only.plan())).toIndexedSeq());
      return new Threaded(same, only.level());
    }
    if (node instanceof Sort || (!bag && node instanceof Distinct)) {
      return only;
    }
    if (!bag && node instanceof Aggregate distinct && isDistinct(distinct)) {
      return new Threaded(
          beside(distinct.aggregateExpressions(), only.level(), only.plan()), only.level());
    }
    throw refused(node.nodeName());
  }

  private static boolean isDistinct(Aggregate aggregate) {
    List<Expression> keys = Scala.list(aggregate.groupingExpressions());
    return Scala.list(aggregate.aggregateExpressions())
        .stream()
        .allMatch(each -> keys.stream().anyMatch(key -> key.semanticEquals((Expression) each)));
  }

  private Threaded joined(Join join, Threaded left, Threaded right) {
    JoinType type = join.joinType();
    boolean inner = type == Inner$.MODULE$ || type == Cross$.MODULE$;
    boolean ofLeft =
        type == LeftSemi$.MODULE$ || type == LeftAnti$.MODULE$ || type == LeftOuter$.MODULE$;
    boolean fits = inner || (ofLeft && right.level() == null)
        || (type == RightOuter$.MODULE$ && left.level() == null);
    if (!fits) {
      throw refused(type.sql().toLowerCase(java.util.Locale.ROOT) + " join");
    }
    LogicalPlan same =
        join.withNewChildren(Scala.seq(List.of(left.plan(), right.plan())).toIndexedSeq());
    if (bag && left.level() != null && right.level() != null) {
      throw refused("a join of the rows of the recursion with each other");
    }
    if (left.level() == null || right.level() == null) {
      return new Threaded(same, left.level() == null ? right.level() : left.level());
    }
    NamedExpression higher = Catalyst.alias(Algebra.greatest(left.level(), right.level()), LEVEL);
    return new Threaded(beside(join.output(), higher, same), higher.toAttribute());
  }

  private Threaded united(Union union, List<Threaded> below) {
    if (bag && below.stream().anyMatch(each -> each.level() == null)) {
      throw refused("a union with rows that are not made of them");
    }
    List<LogicalPlan> inputs = new ArrayList<>();
    List<LogicalPlan> children = Scala.list(union.children());
    for (int i = 0; i < below.size(); i++) {
      Threaded input = below.get(i);
      Expression level = input.level() == null ? Algebra.integer(FIRST) : input.level();
      inputs.add(beside(children.get(i).output(), Catalyst.alias(level, LEVEL), input.plan()));
    }
    LogicalPlan all = union.withNewChildren(Scala.seq(inputs).toIndexedSeq());
    List<Attribute> output = Scala.list(all.output());
    return new Threaded(all, output.get(output.size() - 1));
  }

  private IllegalArgumentException refused(String what) {
    return new IllegalArgumentException(what + " cannot stand over the rows of the recursion "
        + "within its step: with more of them it might give fewer rows, or others. "
        + "Filters, projections, inner joins and unions can; move it behind the recursion");
  }
}
