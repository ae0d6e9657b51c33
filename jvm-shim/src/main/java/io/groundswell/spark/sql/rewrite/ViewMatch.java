package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNotNull;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Plans that answer a query from a view. */
public final class ViewMatch {
  private final LogicalPlan query;
  private final SelectBlock own;
  private final SelectBlock view;
  private final LogicalPlan rows;

  private ViewMatch(LogicalPlan query, LogicalPlan view, LogicalPlan rows) {
    this.query = query;
    this.own = SelectBlock.of(query);
    this.view = SelectBlock.of(view);
    this.rows = rows;
  }

  /**
   * The plan over a view that gives the rows of a query.
   *
   * @param query an optimised plan
   * @param view the optimised plan of the view, over the same relations
   * @param rows a plan with the rows of the view: its columns, in order
   * @return a plan with the query's columns
   * @throws NotContainedException the view does not have what the query asks for
   */
  public static LogicalPlan of(LogicalPlan query, LogicalPlan view, LogicalPlan rows)
      throws NotContainedException {
    ViewMatch match = new ViewMatch(query, view, rows);
    try {
      return match.selected();
    } catch (NotContainedException e) {
      List<LogicalPlan> inputs = match.view.inputs();
      if (query instanceof Aggregate wanted && inputs.size() == 1
          && inputs.get(0) instanceof Aggregate grouped) {
        return match.rolledUp(wanted, grouped);
      }
      throw e;
    }
  }

  /**
   * The query selects from what the view selects: rows of the same inputs that meet the view's
   * conditions, and more. A selection of a selection is one by all conditions; further inputs are
   * joined with what the view has joined, for inner joins are associative.
   */
  private LogicalPlan selected() throws NotContainedException {
    Correspondence inputs = Correspondence.of(own.inputs(), view.inputs());
    List<Expression> beyond = beyond(own, view, inputs);
    Set<ExprId> others = new HashSet<>();
    inputs.others().forEach(
        each -> Scala.list(each.output()).forEach(column -> others.add(column.exprId())));
    Derivation derivation =
        new Derivation(columns(view.columns()), new Conditions(view.conditions()), others);
    LogicalPlan plan = rows;
    for (LogicalPlan other : inputs.others()) {
      plan = Algebra.cross(plan, other);
    }
    for (Expression each : beyond) {
      plan = Algebra.filter(derivation.of(each), plan);
    }
    List<NamedExpression> result = new ArrayList<>();
    for (SelectBlock.Column each : own.columns()) {
      result.add(named(each.as(), derivation.of(inputs.translated(each.value()))));
    }
    return Catalyst.project(result, plan);
  }

  /** The query's groups consist of groups of the view, which has all their rows. */
  private LogicalPlan rolledUp(Aggregate wanted, Aggregate grouped) throws NotContainedException {
    if (grouped.groupingExpressions().isEmpty()) {
      throw new NotContainedException(
          Step.GROUPS, "the view has one row, and not the groups of the query");
    } else if (!view.conditions().isEmpty()) {
      throw new NotContainedException(Step.GROUPS,
          "the view leaves out groups that do not meet " + view.conditions().get(0).sql());
    }
    SelectBlock below = SelectBlock.of(wanted.child());
    SelectBlock viewBelow = SelectBlock.of(grouped.child());
    Correspondence inputs = Correspondence.of(below.inputs(), viewBelow.inputs());
    if (!inputs.others().isEmpty()) {
      throw new NotContainedException(Step.GROUPS, "the query joins more before it groups");
    }
    Map<ExprId, Expression> ofGroups = SelectBlock.values(RollUp.columns(grouped, viewBelow));
    List<SelectBlock.Column> columns = new ArrayList<>();
    for (SelectBlock.Column each : columns(view.columns())) {
      columns.add(new SelectBlock.Column(each.as(), SelectBlock.replaced(each.value(), ofGroups)));
    }
    Derivation derivation =
        new Derivation(columns, new Conditions(viewBelow.conditions()), Set.of());
    LogicalPlan plan = rows;
    for (Expression each : beyond(below, viewBelow, inputs)) {
      plan = Algebra.filter(RollUp.ofGroup(each, grouped, viewBelow, derivation), plan);
    }
    Map<ExprId, Expression> values = below.values();
    List<Expression> groups =
        RollUp.groups(wanted, each -> inputs.translated(SelectBlock.replaced(each, values)));
    List<NamedExpression> kept = new ArrayList<>(Scala.list(rows.output()));
    List<Attribute> keys = new ArrayList<>();
    for (Expression each : groups) {
      NamedExpression key =
          Catalyst.alias(RollUp.ofGroup(each, grouped, viewBelow, derivation), "key");
      kept.add(key);
      keys.add(key.toAttribute());
    }
    List<NamedExpression> result = new ArrayList<>();
    for (NamedExpression each : Scala.list(wanted.aggregateExpressions())) {
      Expression value = inputs.translated(SelectBlock.replaced(SelectBlock.valueOf(each), values));
      result.add(named(each.toAttribute(), RollUp.output(value, derivation, groups, keys)));
    }
    return Algebra.aggregate(List.<Expression>copyOf(keys), result, Catalyst.project(kept, plan));
  }

  /**
   * The conditions that the query has beyond the view's, over the view's inputs.
   *
   * @throws NotContainedException the view has a condition that does not follow from the query's
   */
  static List<Expression> beyond(SelectBlock query, SelectBlock view, Correspondence inputs)
      throws NotContainedException {
    Conditions own = new Conditions(
        SelectBlock.joined(inputs.translated(query.conditions()), inputs.conditions()));
    Conditions others = new Conditions(view.conditions());
    for (Expression each : others.beyond(own)) {
      throw new NotContainedException(
          Step.CONDITIONS, "the view has only the rows with " + each.sql());
    }
    return own.beyond(others);
  }

  /** The columns of the view, as the rows have them. */
  private List<SelectBlock.Column> columns(List<SelectBlock.Column> given) {
    List<Attribute> names = Scala.list(rows.output());
    List<SelectBlock.Column> columns = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      columns.add(new SelectBlock.Column(names.get(i), given.get(i).value()));
    }
    return columns;
  }

  /** What was never null in the query is not in the view. */
  private static NamedExpression named(Attribute as, Expression value)
      throws NotContainedException {
    if (!value.dataType().equals(as.dataType())) {
      throw new NotContainedException(Step.COLUMNS,
          "the view has " + as.name() + " as " + value.dataType().sql() + ", the query as "
              + as.dataType().sql());
    } else if (value instanceof Attribute same && same.exprId().equals(as.exprId())) {
      return same;
    }
    Expression sure = value.nullable() && !as.nullable() ? new KnownNotNull(value) : value;
    return Catalyst.alias(sure, as.name(), as.exprId());
  }
}
