// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * An expression, which stays in the JVM.
 *
 * @param id its name there
 * @param sql its text
 * @param type of its value
 * @param nullable whether it may be null
 * @param refs of the columns that it reads, each once
 * @param reads the same in the order in which they stand in it, with repeats
 * @param canon the text without qualifiers and ids
 * @param hidden what that text leaves out: schemas, options, time zones, ANSI mode
 * @param deterministic whether Catalyst holds it to be
 * @param clock whether it reads the time of the barrier
 * @param time {@code window}, {@code session}, {@code start}, {@code end} or {@code monotone}:
 *     what it makes of a time
 * @param start of one that makes a time window, what makes its start
 * @param ahead of a window function, how far behind a row, in microseconds, rows may stand that
 *     its value depends on; null: it depends on any
 * @param out ref of the column that it is given as; null: it has none
 * @param subquery whether it asks another plan, which is not described
 * @param fails whether it may throw on some row
 * @param plain whether it is just a column, perhaps under another name
 */
public record ExpressionDescription(String id, String sql, DataType type, boolean nullable,
    List<String> refs, List<String> reads, String canon, String hidden, boolean deterministic,
    boolean clock, String time, ExpressionDescription start, Long ahead, String out,
    boolean subquery, boolean fails, boolean plain) implements Serializable {
  private static final long serialVersionUID = 1L;

  public ExpressionDescription {
    Checks.present(id, "id");
    Checks.present(sql, "sql");
    Checks.present(type, "type");
    refs = Checks.list(refs, "refs");
    reads = Checks.list(reads, "reads");
    Checks.present(canon, "canon");
    Checks.present(hidden, "hidden");
  }
}
