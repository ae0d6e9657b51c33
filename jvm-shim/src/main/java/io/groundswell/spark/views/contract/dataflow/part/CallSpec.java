// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A call of an aggregate function.
 *
 * @param call id of its expression
 * @param fn name of the function
 * @param args refs of what it reads; none: {@code count(*)}
 * @param filter ref of the column that is true in the rows that count; null: all do
 * @param distinct whether equal values count once
 * @param out ref of its result
 */
public record CallSpec(String call, String fn, List<String> args, String filter, boolean distinct,
    String out) implements Serializable {
  private static final long serialVersionUID = 1L;

  public CallSpec {
    Checks.present(call, "call");
    Checks.present(fn, "fn");
    args = Checks.list(args, "args");
    Checks.present(out, "out");
  }
}
