// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A condition that rows are expected to meet.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param condition true, or an error for a row that does not meet it
 * @param owner the view
 * @param constraint its name
 * @param action what becomes of such a row: {@code keep}, {@code drop} or {@code fail}
 */
public record ExpectNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, ExpressionDescription condition, String owner, String constraint, String action)
    implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public ExpectNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    Checks.present(condition, "condition");
    Checks.present(owner, "owner");
    Checks.present(constraint, "constraint");
    Checks.present(action, "action");
  }

  @Override
  public String kind() {
    return "expect";
  }
}
