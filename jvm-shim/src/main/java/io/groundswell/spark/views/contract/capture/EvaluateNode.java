// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Calls Python functions, and adds their values.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param udfs the calls
 */
public record EvaluateNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, List<UdfDescription> udfs) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public EvaluateNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    udfs = Checks.list(udfs, "udfs");
  }

  @Override
  public String kind() {
    return "evaluate";
  }
}
