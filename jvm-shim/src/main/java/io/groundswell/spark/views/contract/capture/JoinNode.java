// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A join.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param joinType Catalyst's SQL for it, or {@code EXISTENCE}
 * @param exists ref of the flag of an existence join; null: it has none
 * @param leftKeys expressions of the left side
 * @param rightKeys what they must equal
 * @param residual what else must hold; null: nothing
 * @param interval two times that it keeps together; null: none
 */
public record JoinNode(int id, List<ColumnDescription> output, List<Integer> children, String text,
    String joinType, String exists, List<ExpressionDescription> leftKeys,
    List<ExpressionDescription> rightKeys, ConditionDescription residual,
    IntervalDescription interval) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public JoinNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    Checks.present(joinType, "joinType");
    leftKeys = Checks.list(leftKeys, "leftKeys");
    rightKeys = Checks.list(rightKeys, "rightKeys");
  }

  @Override
  public String kind() {
    return "join";
  }
}
