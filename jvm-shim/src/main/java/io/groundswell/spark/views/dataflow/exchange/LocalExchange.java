package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.Exchange;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * An exchange within one process: rows are partitioned into pages in memory, from which the next
 * operator takes them, without files, streams, compression or a server in between. The tasks of
 * {@link #deal} must have run before those that read {@link #rows}: see {@link LocalExchanges}.
 */
final class LocalExchange {
  private final ShuffledRows dealt;
  private final RDD<InternalRow> deal;
  private final RDD<InternalRow> rows;

  LocalExchange(Exchange planned, RDD<InternalRow> input) {
    this.dealt = ShuffledRows.open(input.getNumPartitions(), planned.targets());
    this.deal = new OperatorRdd(List.of(input), new Deal(dealt.id(), planned.placing()));
    this.rows = new Taken(input, dealt.id(), planned.targets(), planned.columns());
  }

  /** Gives nothing; its tasks deal the input out. */
  RDD<InternalRow> deal() {
    return deal;
  }

  /** The rows by target. */
  RDD<InternalRow> rows() {
    return rows;
  }

  /** The rows, as far as they were partitioned. */
  ShuffledRows dealt() {
    return dealt;
  }

  boolean isEmpty() {
    return dealt.isEmpty();
  }

  void close() {
    dealt.close();
  }

  private record Deal(long exchange, Exchange.Placing placing)
      implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      ShuffledRows dealt = ShuffledRows.of(exchange);
      List<RowPages> pages = dealt.newPages();
      if (inputs.get(0).hasNext()) {
        deal(inputs.get(0), pages.toArray(RowPages[] ::new));
        dealt.publish(partition, pages);
      }
      dealt.end();
      return Collections.emptyIterator();
    }

    private void deal(Iterator<InternalRow> rows, RowPages[] pages) {
      if (pages.length == 1) {
        rows.forEachRemaining(row -> pages[0].add((UnsafeRow) row));
        return;
      }
      UnsafeProjection place = placing.lend();
      while (rows.hasNext()) {
        UnsafeRow row = (UnsafeRow) rows.next();
        pages[place.apply(row).getInt(0)].add(row);
      }
      placing.giveBack(place);
    }
  }

  /** What was partitioned. */
  static final class Taken extends RDD<InternalRow> {
    private static final long serialVersionUID = 1L;

    private record Target(int index) implements Partition {
      private static final long serialVersionUID = 1L;

      @Override
      public boolean equals(Object other) {
        return other instanceof Target target && target.index == index;
      }

      @Override
      public int hashCode() {
        return index;
      }
    }

    private final long exchange;
    private final int targets;
    private final int columns;

    Taken(RDD<InternalRow> input, long exchange, int targets, int columns) {
      super(input.context(), Scala.seq(new ArrayList<>()), Scala.classTag(InternalRow.class));
      this.exchange = exchange;
      this.targets = targets;
      this.columns = columns;
    }

    @Override
    public Partition[] getPartitions() {
      Partition[] partitions = new Partition[targets];
      for (int i = 0; i < targets; i++) {
        partitions[i] = new Target(i);
      }
      return partitions;
    }

    @Override
    public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
      return scala.jdk.javaapi.CollectionConverters.asScala(
          ShuffledRows.of(exchange).rows(split.index(), columns));
    }
  }
}
