package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;

/**
 * What an aggregate function reads of a row: its arguments and the keys of its order, without
 * constants, each once. The planner makes each a column; the operator binds the function to them.
 */
public final class AggregateInputs {
  private AggregateInputs() {}

  /** The inputs, in the order of the function's children. */
  public static List<Expression> of(AggregateFunction function) {
    List<Expression> inputs = new ArrayList<>();
    for (Expression child : Scala.list(function.children())) {
      Expression value = child instanceof SortOrder order ? order.child() : child;
      if (!value.foldable() && position(inputs, value) < 0) {
        inputs.add(value);
      }
    }
    return inputs;
  }

  /** The function with its n-th input replaced by the n-th column of a row. */
  public static AggregateFunction bound(AggregateFunction function) {
    List<Expression> inputs = of(function);
    List<Expression> children = new ArrayList<>();
    for (Expression child : Scala.list(function.children())) {
      children.add(child instanceof SortOrder order
              ? order.withNewChildren(Scala.seq(List.of(bound(inputs, order.child()))))
              : bound(inputs, child));
    }
    return (AggregateFunction) function.withNewChildren(Scala.seq(children));
  }

  private static Expression bound(List<Expression> inputs, Expression value) {
    int position = position(inputs, value);
    return position < 0 ? value : new BoundReference(position, value.dataType(), value.nullable());
  }

  private static int position(List<Expression> inputs, Expression value) {
    for (int i = 0; i < inputs.size(); i++) {
      if (inputs.get(i).semanticEquals(value)) {
        return i;
      }
    }
    return -1;
  }
}
