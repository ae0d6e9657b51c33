package io.groundswell.spark.views.operator.rank;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.FirstOfOrderSpec;
import io.groundswell.spark.views.contract.dataflow.TopNLocalSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The rows {@code offset} to {@code offset + limit} of an order: {@code Δ = top(T + ΔT) - top(T)}.
 * Rows that are equal in the order stand in the order of their stream keys.
 *
 * <p>State: {@code rows}: order columns and stream key, encoded to sort (see {@link OrderEncoding})
 * → row. Of {@code top_n} it is ordered, and in one partition. {@code top_n_local} gives the first
 * rows of each <em>bucket</em>: there the bucket leads the key, and rows stand by its hash. What it
 * gives depends on no number of partitions, for that may become another one. A barrier reads at
 * most the first {@code offset + limit} rows of each bucket that it changes, twice.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, same key.
 */
public final class TopNOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  /** The hash of no columns: there is one partition. */
  private static final int HASH = 42;

  /** Where the bucket is in the input; empty: all rows are in one. */
  private final int[] bucket;

  private final String state;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final ArrayList<OrderEncoding.Key> order = new ArrayList<>();
  private final long offset;
  private final long end;

  public TopNOperator(FirstOfOrderSpec spec, List<Column> input, List<Column> output) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.bucket = spec instanceof TopNLocalSpec local
        ? new int[] {refs.position(local.bucket(), input)}
        : new int[0];
    for (int position : bucket) {
      order.add(new OrderEncoding.Key(position, true, true));
    }
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = refs.positions(spec.key(), input);
    this.kept = refs.positionsOf(output, input);
    this.offset = spec.offset();
    this.end = offset + spec.limit();
    order.addAll(OrderEncoding.keys(spec.order(), refs, input));
    for (int position : key) {
      order.add(new OrderEncoding.Key(position, true, true));
    }
    RowKeys.check(refs, input, key);
    OrderEncoding.check(refs, input, order);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    StateTable rows = bucket.length > 0 ? StateTable.hashed(tx, "rows", counters)
                                        : StateTable.ordered(tx, "rows", true, counters);
    RowKeys buckets = new RowKeys(code, input, bucket);
    OrderEncoding encoding = new OrderEncoding(input, order);
    Map<UnsafeRow, UnsafeRow[]> tops = new LinkedHashMap<>();
    Map<Integer, Share> shares = new LinkedHashMap<>();
    KeyedChanges.each(inputs.get(0), input, key, Projections.all(input.size()), counters, pass -> {
      pass.keyed("top_n \"" + state + "\": a stream key changed twice in a barrier");
      for (ChangeBuffer.Change change : pass.changes().net()) {
        UnsafeRow row = change.before() != null ? change.before() : change.after();
        int number = bucket.length > 0 ? row.getInt(bucket[0]) : 0;
        Share share = shares.get(number);
        if (share == null) {
          share = share(row, buckets, encoding);
          shares.put(number, share);
          share.last = top(rows, share, keys, tops, 0);
        }
        share.moved |= apply(rows, change, encoding, share);
      }
    });
    if (shares.values().stream().noneMatch(share -> share.moved)) {
      Mark.TOP_IS_UNMOVED.hit();
      code.release();
      return Collections.emptyIterator();
    }
    shares.values().forEach(share -> top(rows, share, keys, tops, 1));
    return delta(code, tops.values().iterator(), counters);
  }

  /** All rows of a bucket, or of the one partition. */
  private static final class Share {
    final int hash;
    final byte[] prefix;

    /** The key of the last row above the end before the barrier; null if there are fewer. */
    byte[] last;

    /** True if a change may have moved the rows above it. */
    boolean moved;

    Share(int hash, byte[] prefix) {
      this.hash = hash;
      this.prefix = prefix;
    }
  }

  private Share share(UnsafeRow row, RowKeys buckets, OrderEncoding encoding) {
    if (bucket.length == 0) {
      return new Share(HASH, new byte[0]);
    }
    ByteWriter prefix = new ByteWriter();
    encoding.writeFirst(row, prefix);
    return new Share(buckets.hash(buckets.of(row)), Arrays.copyOf(prefix.bytes, prefix.length));
  }

  /**
   * Reads the top into {@code tops}, by stream key, at {@code index}; gives the key of the last row
   * above the end, or null if there are not so many.
   */
  private byte[] top(
      StateTable rows, Share share, RowKeys keys, Map<UnsafeRow, UnsafeRow[]> tops, int index) {
    byte[] last = null;
    try (RowCursor cursor = share.prefix.length > 0
            ? rows.prefix(share.hash, share.prefix, share.prefix.length)
            : rows.scan()) {
      long rank = 0;
      while (rank < end && rows.read(cursor)) {
        if (rank++ >= offset) {
          UnsafeRow row = new UnsafeRow(input.size());
          StateTable.point(row, cursor.value());
          tops.computeIfAbsent(keys.of(row).copy(), k -> new UnsafeRow[2])[index] = row;
        }
        last = rank == end ? cursor.key().copy() : null;
      }
    }
    return last;
  }

  /** Writes a change; true if it may have moved the rows above the end. */
  private boolean apply(
      StateTable rows, ChangeBuffer.Change change, OrderEncoding encoding, Share share) {
    ByteWriter before = new ByteWriter();
    ByteWriter after = new ByteWriter();
    boolean moved = false;
    if (change.before() != null) {
      encoding.write(change.before(), before);
      moved = reaches(before, share.last);
      Mark.TOP_ROW_LEAVES.hitIf(moved && share.last != null);
    }
    if (change.after() != null) {
      encoding.write(change.after(), after);
      moved |= reaches(after, share.last);
      rows.put(share.hash, after.bytes, after.length, change.after());
    }
    boolean same = Arrays.equals(before.bytes, 0, before.length, after.bytes, 0, after.length);
    if (change.before() != null && !same) {
      rows.delete(share.hash, before.bytes, before.length);
    }
    return moved;
  }

  private boolean reaches(ByteWriter at, byte[] last) {
    return end > offset
        && (last == null
            || Arrays.compareUnsigned(at.bytes, 0, at.length, last, 0, last.length) <= 0);
  }

  private Iterator<InternalRow> delta(
      Projections code, Iterator<UnsafeRow[]> tops, OperatorCounters counters) {
    UnsafeProjection old = code.select(input, kept);
    UnsafeProjection now = code.select(input, kept);
    return new ChangeIterator(code, Projections.types(output), counters) {
      @Override
      protected boolean advance() {
        if (!tops.hasNext()) {
          return false;
        }
        UnsafeRow[] top = tops.next();
        UnsafeRow was = top[0] == null ? null : old.apply(top[0]);
        UnsafeRow is = top[1] == null ? null : now.apply(top[1]);
        if (was == null || !was.equals(is)) {
          before = was;
          after = is;
        }
        return true;
      }
    };
  }
}
