// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A part of the plan, as large as possible, that reads no stream.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param single whether it has one row at most
 * @param tables whether it reads what others may change
 * @param clock whether it asks for the barrier's time
 */
public record ConstantNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, boolean single, boolean tables, boolean clock) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public ConstantNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
  }

  @Override
  public String kind() {
    return "constant";
  }
}
