// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Rows in an order.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param order that order
 * @param whole whether all rows are ordered, not those of each partition
 */
public record SortNode(int id, List<ColumnDescription> output, List<Integer> children, String text,
    List<SortDescription> order, boolean whole) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public SortNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    order = Checks.list(order, "order");
  }

  @Override
  public String kind() {
    return "sort";
  }
}
