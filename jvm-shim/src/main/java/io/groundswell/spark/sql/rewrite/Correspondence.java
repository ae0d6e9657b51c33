package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.KnownRelation;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Which inputs of a query are those of a view.
 *
 * @param columns by the id of a column of such an input of the query, its value over the columns of
 *     the view's input
 * @param conditions over the columns of the view's inputs: the query's inputs have only the rows
 *     that meet them
 * @param others the inputs that only the query has
 */
record Correspondence(
    Map<ExprId, Expression> columns, List<Expression> conditions, List<LogicalPlan> others) {
  private static final int MOST_TRIES = 1000;

  /**
   * Finds each input of the view among those of the query.
   *
   * @throws NotContainedException the query lacks one
   */
  static Correspondence of(List<LogicalPlan> query, List<LogicalPlan> view)
      throws NotContainedException {
    if (query.size() < view.size()) {
      throw new NotContainedException(
          Step.INPUTS, "the query does not join all that the view joins");
    }
    return new Search(query, view).from(0, new HashSet<>(), Map.of(), List.of());
  }

  /** An expression of the query, over the columns of the view's inputs. */
  Expression translated(Expression expression) {
    return SelectBlock.replaced(expression, columns);
  }

  List<Expression> translated(List<Expression> expressions) {
    return expressions.stream().map(this::translated).toList();
  }

  /** The two blocks as one: which conditions only the query has, over the view's inputs. */
  private record Blocks(SelectBlock query, SelectBlock view, Correspondence inputs) {
    static Blocks of(LogicalPlan query, LogicalPlan view) throws NotContainedException {
      SelectBlock own = SelectBlock.of(query);
      SelectBlock other = SelectBlock.of(view);
      Correspondence inputs = Correspondence.of(own.inputs(), other.inputs());
      if (!inputs.others.isEmpty()) {
        throw new NotContainedException(
            Step.INPUTS, "the query joins more below an aggregate or outer join");
      }
      return new Blocks(own, other, inputs);
    }

    Expression translated(Expression expression) {
      return inputs.translated(SelectBlock.replaced(expression, query.values()));
    }

    Expression translatedOfView(Expression expression) {
      return SelectBlock.replaced(expression, view.values());
    }

    List<Expression> beyond() throws NotContainedException {
      return ViewMatch.beyond(query, view, inputs);
    }
  }

  /** Tries the inputs one after the other; a relation that is joined with itself fits twice. */
  private static final class Search {
    private final List<LogicalPlan> query;
    private final List<LogicalPlan> view;
    private int tries;

    Search(List<LogicalPlan> query, List<LogicalPlan> view) {
      this.query = query;
      this.view = view;
    }

    Correspondence from(int at, Set<Integer> taken, Map<ExprId, Expression> columns,
        List<Expression> conditions) throws NotContainedException {
      if (at == view.size()) {
        List<LogicalPlan> others = new ArrayList<>();
        for (int i = 0; i < query.size(); i++) {
          if (!taken.contains(i)) {
            others.add(query.get(i));
          }
        }
        return new Correspondence(columns, conditions, others);
      }
      NotContainedException last = new NotContainedException(
          Step.INPUTS, "the query does not read " + nameOf(view.get(at)) + " as the view does");
      for (int i = 0; i < query.size() && tries < MOST_TRIES; i++) {
        if (taken.contains(i)) {
          continue;
        }
        tries++;
        try {
          Correspondence one = ofInput(query.get(i), view.get(at));
          Map<ExprId, Expression> all = new HashMap<>(columns);
          all.putAll(one.columns);
          Set<Integer> now = new HashSet<>(taken);
          now.add(i);
          return from(at + 1, now, all, SelectBlock.joined(conditions, one.conditions));
        } catch (NotContainedException e) {
          last = query.get(i) instanceof KnownRelation ? last : e;
        }
      }
      throw last;
    }
  }

  /**
   * One input of the query as one of the view.
   *
   * @throws NotContainedException they differ
   */
  private static Correspondence ofInput(LogicalPlan query, LogicalPlan view)
      throws NotContainedException {
    if (query instanceof KnownRelation own && view instanceof KnownRelation other) {
      return ofRelations(own, other);
    } else if (query instanceof Aggregate own && view instanceof Aggregate other) {
      return ofAggregates(own, other);
    } else if (query instanceof Join own && view instanceof Join other && isOuter(own.joinType())
        && own.joinType().equals(other.joinType())) {
      return ofOuterJoins(own, other);
    } else if (query.getClass() == view.getClass() && query.sameResult(view)) {
      return new Correspondence(positions(query, view), List.of(), List.of()); // the same plan
    }
    throw new NotContainedException(
        Step.INPUTS, "the query's " + nameOf(query) + " is not the view's " + nameOf(view));
  }

  private static Correspondence ofRelations(KnownRelation query, KnownRelation view)
      throws NotContainedException {
    if (!query.name().equals(view.name())) {
      throw new NotContainedException(Step.INPUTS, "the query does not read " + nameOf(view));
    }
    Map<String, Attribute> known =
        Scala.list(view.output()).stream().collect(Collectors.toMap(Attribute::name, each -> each));
    Map<ExprId, Expression> columns = new HashMap<>();
    for (Attribute each : Scala.list(query.output())) {
      // a hidden column stays what it is: no view has it
      columns.put(each.exprId(), known.getOrDefault(each.name(), each));
    }
    return new Correspondence(columns, List.of(), List.of());
  }

  /**
   * The same groups of the same rows have the same aggregates. Conditions on the columns that all
   * groups are made by leave out whole groups, so they may follow.
   */
  private static Correspondence ofAggregates(Aggregate query, Aggregate view)
      throws NotContainedException {
    Blocks blocks = Blocks.of(query.child(), view.child());
    List<SelectBlock.Column> given = RollUp.columns(view, blocks.view());
    Derivation derivation =
        new Derivation(given, new Conditions(blocks.view().conditions()), Set.of());
    List<Expression> conditions = new ArrayList<>();
    for (Expression each : blocks.beyond()) {
      conditions.add(RollUp.ofGroup(each, view, blocks.view(), derivation));
    }
    RollUp.checkSameGroups(query, view, blocks::translated, blocks::translatedOfView);
    Map<ExprId, Expression> columns = new HashMap<>();
    for (NamedExpression each : Scala.list(query.aggregateExpressions())) {
      Expression wanted = blocks.translated(SelectBlock.valueOf(each));
      columns.put(each.exprId(), derivation.of(wanted));
    }
    return new Correspondence(columns, conditions, List.of());
  }

  /**
   * An outer join of the same inputs on the same condition. A condition on the side that is kept
   * may follow the join: each row of that side is in it, with or without a partner.
   */
  private static Correspondence ofOuterJoins(Join query, Join view) throws NotContainedException {
    boolean leftKept = query.joinType() == LeftOuter$.MODULE$;
    boolean rightKept = query.joinType() == RightOuter$.MODULE$;
    Blocks left = Blocks.of(query.left(), view.left());
    Blocks right = Blocks.of(query.right(), view.right());
    Map<ExprId, Expression> columns = new HashMap<>();
    addEqual(left, columns);
    addEqual(right, columns);
    List<Expression> on = onConditions(query, left, right, true);
    List<Expression> viewOn = onConditions(view, left, right, false);
    List<Expression> below =
        SelectBlock.joined(left.view().conditions(), right.view().conditions());
    Conditions queryAll = new Conditions(SelectBlock.joined(on, below));
    Conditions viewAll = new Conditions(SelectBlock.joined(viewOn, below));
    if (!queryAll.beyond(viewAll).isEmpty() || !viewAll.beyond(queryAll).isEmpty()) {
      throw new NotContainedException(
          Step.CONDITIONS, "the query's outer join has another condition");
    }
    List<Expression> leftOnly = left.beyond();
    List<Expression> rightOnly = right.beyond();
    List<Expression> kept = leftKept ? leftOnly : rightKept ? rightOnly : List.of();
    // Rows of the other side that no row which stays would be joined with make no difference. A
    // full join keeps them all.
    Conditions partners =
        new Conditions(SelectBlock.joined(SelectBlock.joined(viewOn, below), kept));
    List<Expression> rest = leftKept ? rightOnly
        : rightKept                  ? leftOnly
                                     : SelectBlock.joined(leftOnly, rightOnly);
    boolean full = !leftKept && !rightKept;
    if (full ? !rest.isEmpty() : !rest.stream().allMatch(partners::imply)) {
      throw new NotContainedException(Step.CONDITIONS,
          "the query has a condition on the side of an outer join that may be missing");
    }
    List<Expression> conditions = new ArrayList<>();
    Derivation derivation = new Derivation(
        leftKept ? left.view().columns() : right.view().columns(), partners, Set.of());
    for (Expression each : kept) {
      conditions.add(derivation.of(each));
    }
    return new Correspondence(columns, conditions, List.of());
  }

  private static List<Expression> onConditions(
      Join join, Blocks left, Blocks right, boolean ofQuery) {
    return Scala.optional(join.condition())
        .map(SelectBlock::conjuncts)
        .orElse(List.of())
        .stream()
        .map(each
            -> ofQuery ? right.translated(left.translated(each))
                       : right.translatedOfView(left.translatedOfView(each)))
        .toList();
  }

  /** Columns of the query's side that are columns of the view's side. */
  private static void addEqual(Blocks side, Map<ExprId, Expression> columns)
      throws NotContainedException {
    for (SelectBlock.Column each : side.query().columns()) {
      Expression wanted = side.inputs().translated(each.value());
      SelectBlock.Column found =
          side.view()
              .columns()
              .stream()
              .filter(column -> column.value().semanticEquals(wanted))
              .findFirst()
              .orElseThrow(
                  ()
                      -> new NotContainedException(Step.COLUMNS,
                          "the view has no column " + each.as().name() + " of its outer join"));
      columns.put(each.as().exprId(), found.as());
    }
  }

  private static boolean isOuter(JoinType type) {
    return type == LeftOuter$.MODULE$ || type == RightOuter$.MODULE$ || type == FullOuter$.MODULE$;
  }

  private static Map<ExprId, Expression> positions(LogicalPlan query, LogicalPlan view) {
    Map<ExprId, Expression> columns = new HashMap<>();
    List<Attribute> own = Scala.list(query.output());
    List<Attribute> others = Scala.list(view.output());
    for (int i = 0; i < own.size(); i++) {
      columns.put(own.get(i).exprId(), others.get(i));
    }
    return columns;
  }

  static String nameOf(LogicalPlan plan) {
    return plan instanceof KnownRelation relation ? relation.name() : plan.nodeName();
  }
}
