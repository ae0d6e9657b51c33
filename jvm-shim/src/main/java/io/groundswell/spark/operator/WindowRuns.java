package io.groundswell.spark.operator;

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
 * The touched partitions one after the other, each as it was and then as it is, as runs of rows
 * with the number of their run: Spark computes all of them in one pass. Applies each partition's
 * changes when it comes to it.
 */
final class WindowRuns implements Iterator<InternalRow> {
  /** Numbers of rows of a partition. */
  record Pair(int before, int after) {}

  private final RowKeys keys;
  private final WindowRows state;
  private final Iterator<Map.Entry<UnsafeRow, ChangeBuffer>> changes;
  private final UnsafeRowJoiner joiner;
  private final UnsafeRow run = new UnsafeRow(1);
  private final Queue<Pair> sizes = new ArrayDeque<>();
  private List<UnsafeRow> rows = List.of();
  private int first; // how many of them belong to the partition as it was
  private int at;
  private long number;

  WindowRuns(Projections code, List<Column> input, RowKeys keys, WindowRows state,
      Map<UnsafeRow, ChangeBuffer> changes) {
    this.keys = keys;
    this.state = state;
    this.changes = changes.entrySet().iterator();
    this.joiner = code.joiner(Projections.types(input), new DataType[] {DataTypes.LongType});
    run.pointTo(new byte[16], 16);
  }

  /** Of the partitions that were given, in order. */
  Queue<Pair> sizes() {
    return sizes;
  }

  @Override
  public boolean hasNext() {
    while (at == rows.size() && changes.hasNext()) {
      load(changes.next());
    }
    return at < rows.size();
  }

  private void load(Map.Entry<UnsafeRow, ChangeBuffer> change) {
    UnsafeRow key = change.getKey();
    List<UnsafeRow>[] both = state.change(keys.hash(key), key, change.getValue());
    if (both == null) {
      return;
    }
    first = both[0].size();
    rows = new ArrayList<>(both[0]);
    rows.addAll(both[1]);
    at = 0;
    number += 2;
    if (!rows.isEmpty()) {
      sizes.add(new Pair(first, both[1].size()));
    }
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    run.setLong(0, at < first ? number : number + 1);
    return joiner.join(rows.get(at++), run);
  }
}
