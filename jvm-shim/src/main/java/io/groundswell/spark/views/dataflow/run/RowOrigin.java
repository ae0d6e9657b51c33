package io.groundswell.spark.views.dataflow.run;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.error.Place;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.RowFailures;
import java.io.IOException;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.util.TaskCompletionListener;

/**
 * What a stateless chain's rows are, for the error of one that it cannot digest. Generated code
 * takes a row when it is done with the one before, so the row that it took last is the one.
 *
 * @param place the views and sources it is between
 * @param text its filters and projections
 * @param row shows a row it takes
 * @param key shows the row's stream key; null if it has none
 * @param python the interpreter of its Python functions; null if it has none
 */
public record RowOrigin(Place place, String text, Expression row, Expression key, String python)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * @param columns of the rows, without their weight
   * @param key positions of the stream key
   */
  public static RowOrigin of(Place place, String text, List<Column> columns, int[] key) {
    int[] all = IntStream.range(0, columns.size()).toArray();
    return new RowOrigin(
        place, text, shown(columns, all), key.length == 0 ? null : shown(columns, key), null);
  }

  /** The same with the interpreter that runs the chain's Python functions; null if it has none. */
  RowOrigin runBy(String interpreter) {
    return new RowOrigin(place, text, row, key, interpreter);
  }

  private static Expression shown(List<Column> columns, int[] positions) {
    List<String> names = IntStream.of(positions).mapToObj(p -> columns.get(p).name()).toList();
    return RowFailures.shown(names, columns, positions);
  }

  /** Rows that are remembered while they are worked on. */
  static final class Taken implements Iterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private InternalRow last;
    private boolean inside;

    Taken(Iterator<InternalRow> rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      inside = true;
      boolean more = rows.hasNext();
      inside = false;
      if (!more) {
        last = null;
      }
      return more;
    }

    @Override
    public InternalRow next() {
      inside = true;
      last = rows.next();
      inside = false;
      return last;
    }

    /** The row that is being worked on; null if it is not that which failed. */
    private InternalRow culprit() {
      return inside ? null : last;
    }
  }

  /** Hands on the rows that a plan reads, and remembers them for {@link Name} in the same task. */
  record Take() implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;
    private static final Map<TaskContext, Taken> RUNNING = new ConcurrentHashMap<>();

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Taken taken = new Taken(inputs.get(0));
      RUNNING.put(context, taken);
      context.addTaskCompletionListener((TaskCompletionListener) RUNNING::remove);
      return taken;
    }
  }

  /**
   * Names the row on which a plan fails that is not generated code. Where the plan exchanges rows,
   * or hands many at once to another process, none is named.
   */
  record Name(RowOrigin origin) implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Taken taken = Take.RUNNING.remove(context);
      return taken == null ? inputs.get(0) : origin.over(taken, inputs.get(0));
    }

    @Override
    public RuntimeException failedBelow(Exception e, TaskContext context) {
      Taken taken = Take.RUNNING.remove(context);
      return origin.named(e, taken == null ? null : taken.culprit());
    }
  }

  /** What the chain makes of the rows, with its errors named. */
  Iterator<InternalRow> over(Taken taken, Iterator<InternalRow> made) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        try {
          return made.hasNext();
        } catch (Exception e) { // Spark's are checked, and Scala does not say so
          throw named(e, taken.culprit());
        }
      }

      @Override
      public InternalRow next() {
        try {
          return made.next();
        } catch (Exception e) { // as above
          throw named(e, taken.culprit());
        }
      }
    };
  }

  private RuntimeException named(Exception e, InternalRow culprit) {
    PythonFailure python = PythonFailure.of(e);
    if (python != null && !python.isOfRows()) {
      throw new OperatorException(new EngineException(ErrorCode.OPERATOR_FAILED, place,
          "a Python function of " + RowFailures.clip(text) + " cannot be run"
              + (this.python == null ? "" : " by " + this.python) + ": " + python.line()
              + python.advice(),
          e));
    }
    if (python != null) { // it has many rows at a time
      throw failed("one of its rows", "", "a Python function of ", python.line(), e);
    }
    if (culprit == null || e instanceof OperatorException || e instanceof TaskKilledException
        || e instanceof InterruptedException || e instanceof FetchFailedException
        || e instanceof IOException) {
      throw Scala.unchecked(e);
    }
    String id = key == null ? "" : " with key " + shown(key, culprit);
    return failed("the row " + shown(row, culprit), id, "", RowFailures.text(e), e);
  }

  private OperatorException failed(
      String what, String id, String within, String why, Exception cause) {
    RepeatedFailures.leaveOut();
    return new OperatorException(new EngineException(ErrorCode.ROW_FAILED, place,
        what + id + " fails in " + within + RowFailures.clip(text) + ": " + why
            + RowFailures.advice(cause),
        cause));
  }

  private static String shown(Expression columns, InternalRow row) {
    return RowFailures.clip(RowFailures.show(columns, row));
  }
}
