package io.groundswell.spark.views.operator.spi;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * What an operator is at work on, for the error if an expression fails on it: a group, a pair of
 * rows. Setting it costs one reference; the text is made when it is asked for.
 */
public final class ErrorContext {
  private String what = "";
  private Expression shown;
  private InternalRow row;

  /** Says what will be set: its name, and its columns. */
  public void is(String name, List<Column> columns) {
    what = name;
    shown = columns.isEmpty() ? null
                              : RowFailures.shown(columns.stream().map(Column::name).toList(),
                                    columns, IntStream.range(0, columns.size()).toArray());
  }

  public void set(InternalRow now) {
    row = now;
  }

  /** As in "the group {"k":1}"; a general word if nothing is known. */
  @Override
  public String toString() {
    return shown == null || row == null
        ? "one of its rows"
        : "the " + what + " " + RowFailures.clip(RowFailures.show(shown, row));
  }
}
