// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * The rows of all its children.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 */
public record UnionNode(int id, List<ColumnDescription> output, List<Integer> children, String text)
    implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public UnionNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
  }

  @Override
  public String kind() {
    return "union";
  }
}
