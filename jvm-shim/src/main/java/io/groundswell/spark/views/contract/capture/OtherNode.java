// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Any other node.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param name what Catalyst calls it
 */
public record OtherNode(int id, List<ColumnDescription> output, List<Integer> children, String text,
    String name) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public OtherNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    Checks.present(name, "name");
  }

  @Override
  public String kind() {
    return "other";
  }
}
