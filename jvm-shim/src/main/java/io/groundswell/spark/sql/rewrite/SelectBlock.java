package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression$;
import org.apache.spark.sql.catalyst.plans.Cross$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Filters, projections and inner joins in normal form: the columns, of those rows of the product of
 * the inputs that meet all conditions. The order in which Spark had them makes no difference.
 *
 * @param inputs what is neither filter, projection nor inner join
 * @param conditions over the columns of the inputs
 * @param columns what the block gives, over the columns of the inputs
 */
record SelectBlock(List<LogicalPlan> inputs, List<Expression> conditions, List<Column> columns) {
  /**
   * A column that a block gives.
   *
   * @param as its attribute above the block
   * @param value over the columns of the inputs
   */
  record Column(Attribute as, Expression value) {}

  static SelectBlock of(LogicalPlan plan) {
    if (plan instanceof Project project && isPlain(project)) {
      SelectBlock below = of(project.child());
      Map<ExprId, Expression> values = below.values();
      List<Column> columns =
          Scala.list(project.projectList())
              .stream()
              .map(each -> new Column(each.toAttribute(), replaced(valueOf(each), values)))
              .toList();
      return new SelectBlock(below.inputs, below.conditions, columns);
    } else if (plan instanceof Filter filter && isPlain(filter)) {
      SelectBlock below = of(filter.child());
      return new SelectBlock(below.inputs,
          joined(below.conditions, conjuncts(replaced(filter.condition(), below.values()))),
          below.columns);
    } else if (plan instanceof Join join && isInner(join) && isPlain(join)) {
      SelectBlock left = of(join.left());
      SelectBlock right = of(join.right());
      Map<ExprId, Expression> values = left.values();
      values.putAll(right.values());
      List<Expression> own = Scala.optional(join.condition())
                                 .map(condition -> conjuncts(replaced(condition, values)))
                                 .orElse(List.of());
      return new SelectBlock(joined(left.inputs, right.inputs),
          joined(joined(left.conditions, right.conditions), own),
          joined(left.columns, right.columns));
    }
    List<Column> columns =
        Scala.list(plan.output()).stream().map(each -> new Column(each, each)).toList();
    return new SelectBlock(List.of(plan), List.of(), columns);
  }

  /** By the id of a column that the block gives, its value. */
  Map<ExprId, Expression> values() {
    return values(columns);
  }

  /** By the id of a column, its value. */
  static Map<ExprId, Expression> values(List<Column> columns) {
    Map<ExprId, Expression> values = new HashMap<>();
    columns.forEach(column -> values.put(column.as.exprId(), column.value));
    return values;
  }

  /** An expression with other expressions in the place of attributes. */
  static Expression replaced(Expression expression, Map<ExprId, Expression> values) {
    return expression.transformUp(Scala.rule(part -> value(part, values)));
  }

  /** What stands for an attribute; anything else is what it is. */
  static Expression value(Expression part, Map<ExprId, Expression> values) {
    return part instanceof Attribute attribute ? values.getOrDefault(attribute.exprId(), part)
                                               : part;
  }

  /** The parts of a condition that all have to hold. */
  static List<Expression> conjuncts(Expression condition) {
    if (condition instanceof And and) {
      return joined(conjuncts(and.left()), conjuncts(and.right()));
    }
    return Boolean.TRUE.equals(condition instanceof Literal literal ? literal.value() : null)
        ? List.of()
        : List.of(condition);
  }

  /** What a named expression is the name of. */
  static Expression valueOf(NamedExpression named) {
    return named instanceof Alias alias ? alias.child() : (Expression) named;
  }

  static <T> List<T> joined(List<T> first, List<T> second) {
    return new ArrayList<>(Stream.concat(first.stream(), second.stream()).toList());
  }

  private static boolean isInner(Join join) {
    boolean inner = join.joinType() == Inner$.MODULE$ || join.joinType() == Cross$.MODULE$;
    return inner && join.hint().equals(JoinHint.NONE());
  }

  /** Whether the expressions of a node may be evaluated elsewhere, and how often one likes. */
  private static boolean isPlain(LogicalPlan node) {
    return Scala.list(node.expressions())
        .stream()
        .allMatch(each -> each.deterministic() && !SubqueryExpression$.MODULE$.hasSubquery(each));
  }
}
