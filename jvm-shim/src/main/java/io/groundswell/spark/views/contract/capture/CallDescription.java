// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * A call of an aggregate function.
 *
 * @param id its name in the JVM
 * @param fn name of the function
 * @param sql its text
 * @param canon as of an expression
 * @param hidden as of an expression
 * @param distinct whether equal values count once
 * @param filter the condition of the rows that count; null: all do
 * @param args its arguments
 * @param inputs what it reads: arguments and order keys without constants, each once
 * @param out ref of its result
 * @param type of its result
 */
public record CallDescription(String id, String fn, String sql, String canon, String hidden,
    boolean distinct, ExpressionDescription filter, List<ExpressionDescription> args,
    List<ExpressionDescription> inputs, String out, DataType type) implements Serializable {
  private static final long serialVersionUID = 1L;

  public CallDescription {
    Checks.present(id, "id");
    Checks.present(fn, "fn");
    Checks.present(sql, "sql");
    Checks.present(canon, "canon");
    Checks.present(hidden, "hidden");
    args = Checks.list(args, "args");
    inputs = Checks.list(inputs, "inputs");
    Checks.present(out, "out");
    Checks.present(type, "type");
  }
}
