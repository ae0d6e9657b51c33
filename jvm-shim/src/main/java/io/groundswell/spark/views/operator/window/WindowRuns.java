package io.groundswell.spark.views.operator.window;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The slices of the touched partitions one after the other, each as it was and then as it is, as
 * runs of rows with the number of their run: Spark computes all of them in one pass. Applies each
 * partition's changes when it comes to it.
 */
final class WindowRuns implements Iterator<InternalRow> {
  /** Numbers of rows of a slice. */
  record Pair(int before, int after) {}

  private final RowKeys keys;
  private final WindowState state;
  private final Iterator<Map.Entry<UnsafeRow, ChangeBuffer>> changes;
  private final UnsafeRowJoiner joiner;
  private final UnsafeRow run = new UnsafeRow(1);
  private final Queue<List<Pair>> sizes = new ArrayDeque<>();
  private final Queue<List<UnsafeRow>> waiting = new ArrayDeque<>();
  private Iterator<UnsafeRow> rows = List.<UnsafeRow>of().iterator();
  private long number;

  WindowRuns(Projections code, List<Column> input, RowKeys keys, WindowState state,
      Map<UnsafeRow, ChangeBuffer> changes) {
    this.keys = keys;
    this.state = state;
    this.changes = changes.entrySet().iterator();
    this.joiner = code.joiner(Projections.types(input), new DataType[] {DataTypes.LongType});
    run.pointTo(new byte[16], 16);
  }

  /** Of the partitions that were given, in order: a pair a slice. */
  Queue<List<Pair>> sizes() {
    return sizes;
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext()) {
      if (!waiting.isEmpty()) {
        rows = waiting.remove().iterator();
        number++;
      } else if (changes.hasNext()) {
        load(changes.next());
      } else {
        return false;
      }
    }
    return true;
  }

  private void load(Map.Entry<UnsafeRow, ChangeBuffer> change) {
    UnsafeRow key = change.getKey();
    List<Pair> pairs = new ArrayList<>();
    for (WindowState.Slice slice : state.change(keys.hash(key), key, change.getValue())) {
      waiting.add(slice.before());
      waiting.add(slice.after());
      if (!slice.before().isEmpty() || !slice.after().isEmpty()) {
        pairs.add(new Pair(slice.before().size(), slice.after().size()));
      }
    }
    if (!pairs.isEmpty()) {
      sizes.add(pairs);
    }
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    run.setLong(0, number);
    return joiner.join(rows.next(), run);
  }
}
