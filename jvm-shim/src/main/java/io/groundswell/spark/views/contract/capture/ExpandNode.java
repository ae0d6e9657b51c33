// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A row for each of several projections.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param projections these
 */
public record ExpandNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, List<List<ExpressionDescription>> projections) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public ExpandNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    projections = Checks.list(projections, "projections");
  }

  @Override
  public String kind() {
    return "expand";
  }
}
