package io.groundswell.spark.views.operator.spi;

import io.groundswell.engine.Transaction;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/** One operator's logic for one partition and barrier. */
public interface RowOperator extends Serializable {
  /**
   * Takes the changes of one barrier and gives the operator's own.
   *
   * @param tx the partition's state; the caller commits it after the result was consumed. For an
   *     operator that only reads another one's state: that state at the base, to be left as it is
   * @param epoch the barrier's number
   * @param inputs one iterator an input, of the input's columns and {@code _weight}; rows may be
   *     reused by the iterator
   * @param counters receives what was done
   * @return the output columns and {@code _weight}; to be consumed once, to its end, before the
   *     commit; rows are reused
   */
  Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters);

  /** As above; for operators that read other partitions of the state, too. */
  default Iterator<InternalRow> run(StatePartitions states, long epoch,
      List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    return run(states.own(), epoch, inputs, counters);
  }

  /** False if these inputs, none of them taken from yet, cannot change anything. */
  default boolean hasWork(List<Iterator<InternalRow>> inputs) {
    return inputs.stream().anyMatch(Iterator::hasNext);
  }

  /** True if it must run on the first barrier without input: a global aggregate has one row. */
  default boolean needsEmptyRun() {
    return false;
  }

  /** How rows of a table of its state move when the state gets another number of partitions. */
  default TableMove move(String table) {
    return TableMove.BY_HASH;
  }

  /** True if it must run in every barrier, on all partitions: no input says something, too. */
  default boolean alwaysRuns() {
    return false;
  }
}
