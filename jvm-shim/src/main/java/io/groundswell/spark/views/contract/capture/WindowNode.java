// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Window functions.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param functions these
 * @param python whether some of them are Python's
 * @param partition what rows of a partition share
 * @param order of the rows of a partition
 */
public record WindowNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, List<ExpressionDescription> functions, boolean python,
    List<ExpressionDescription> partition, List<SortDescription> order) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public WindowNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    functions = Checks.list(functions, "functions");
    partition = Checks.list(partition, "partition");
    order = Checks.list(order, "order");
  }

  @Override
  public String kind() {
    return "window";
  }
}
