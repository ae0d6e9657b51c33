package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;

/**
 * Computes expressions over the inputs of a view from the columns of the view. A part that equals
 * the value of a column is that column; what all parts of an expression are computed from, the
 * expression is: it is deterministic.
 */
final class Derivation {
  private final List<SelectBlock.Column> columns;
  private final Conditions holding;
  private final Set<ExprId> others;

  /**
   * @param columns of the view: what each is called now, and its value over the view's inputs
   * @param holding what holds for all rows of the view
   * @param others columns that are there beside those of the view
   */
  Derivation(List<SelectBlock.Column> columns, Conditions holding, Set<ExprId> others) {
    this.columns = columns;
    this.holding = holding;
    this.others = others;
  }

  /**
   * The same value, computed from the view's columns.
   *
   * @throws NotContainedException the view has not what it takes
   */
  Expression of(Expression wanted) throws NotContainedException {
    for (SelectBlock.Column column : columns) {
      if (column.value().semanticEquals(wanted)) {
        return column.as();
      }
    }
    if (wanted instanceof Attribute attribute) {
      return ofAttribute(attribute);
    } else if (wanted instanceof AggregateExpression call) {
      throw new NotContainedException(Step.COLUMNS, "the view has no column " + call.sql());
    }
    List<Expression> parts = new ArrayList<>();
    for (Expression part : Scala.list(wanted.children())) {
      parts.add(of(part));
    }
    return parts.isEmpty() ? wanted : wanted.withNewChildren(Scala.seq(parts));
  }

  private Expression ofAttribute(Attribute wanted) throws NotContainedException {
    if (others.contains(wanted.exprId())) {
      return wanted;
    }
    for (SelectBlock.Column column : columns) {
      if (column.value() instanceof Attribute value && holding.equal(value, wanted)) {
        return column.as();
      }
    }
    throw new NotContainedException(Step.COLUMNS, "the view has no column " + wanted.name());
  }
}
