// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * The optimiser's mark below a window that only first rows are wanted.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param fn the rank
 * @param limit the last rank that is wanted
 */
public record WindowGroupLimitNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, String fn, int limit) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public WindowGroupLimitNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    Checks.present(fn, "fn");
  }

  @Override
  public String kind() {
    return "window_group_limit";
  }
}
