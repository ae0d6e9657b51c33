// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * At most so many rows.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param limit how many
 */
public record LimitNode(int id, List<ColumnDescription> output, List<Integer> children, String text,
    long limit) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public LimitNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
  }

  @Override
  public String kind() {
    return "limit";
  }
}
