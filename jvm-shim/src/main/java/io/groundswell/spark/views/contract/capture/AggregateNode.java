// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * An aggregation.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param grouping columns to group by
 * @param calls the aggregate calls
 * @param results what it gives; calls stand in it as their results
 * @param session ref of a grouping column that is a session window; null: there is none
 */
public record AggregateNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, List<ExpressionDescription> grouping, List<CallDescription> calls,
    List<ExpressionDescription> results, String session) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public AggregateNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    grouping = Checks.list(grouping, "grouping");
    calls = Checks.list(calls, "calls");
    results = Checks.list(results, "results");
  }

  @Override
  public String kind() {
    return "aggregate";
  }
}
