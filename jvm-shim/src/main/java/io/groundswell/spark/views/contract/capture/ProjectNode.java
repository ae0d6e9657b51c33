// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A projection.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param exprs what it gives
 */
public record ProjectNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, List<ExpressionDescription> exprs) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public ProjectNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    exprs = Checks.list(exprs, "exprs");
  }

  @Override
  public String kind() {
    return "project";
  }
}
