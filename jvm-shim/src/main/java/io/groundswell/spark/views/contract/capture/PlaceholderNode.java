// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Rows of a source or view.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param source its key
 * @param use {@code now} or {@code late} if it is meant so; null: its changes
 */
public record PlaceholderNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, String source, String use) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public PlaceholderNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    Checks.present(source, "source");
  }

  @Override
  public String kind() {
    return "placeholder";
  }
}
