// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.util.List;

/**
 * Several rows for one.
 *
 * @param id its number
 * @param output the columns that it gives
 * @param children numbers of the nodes below it
 * @param text it in one line, for people
 * @param generator the expression
 * @param generated refs of its columns
 * @param position ref of what tells the rows of one input row apart; null: nothing does
 * @param outer whether there is a row for no rows
 * @param single whether there is at most one row for a row
 */
public record GenerateNode(int id, List<ColumnDescription> output, List<Integer> children,
    String text, ExpressionDescription generator, List<String> generated, String position,
    boolean outer, boolean single) implements NodeDescription {
  private static final long serialVersionUID = 1L;

  public GenerateNode {
    output = Checks.list(output, "output");
    children = Checks.list(children, "children");
    Checks.present(text, "text");
    Checks.present(generator, "generator");
    generated = Checks.list(generated, "generated");
  }

  @Override
  public String kind() {
    return "generate";
  }
}
