// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * A filter.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param condition what must hold; null: there are only temporal ones
 * @param temporal conditions of the barrier's clock
 */
public record FilterNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, ConditionDescription condition, List<TemporalDescription> temporal)
    implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public FilterNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    temporal = Checks.list(temporal, "temporal");
  }

  @Override
  public String kind() {
    return "filter";
  }
}
