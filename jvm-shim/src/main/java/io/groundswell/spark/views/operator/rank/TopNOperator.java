package io.groundswell.spark.views.operator.rank;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.Spec;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
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
 * <p>State: {@code rows}, ordered: order columns and stream key, encoded to sort (see
 * {@link OrderEncoding}) → row. It is in one partition, or, if it is <em>local</em>, in all, by the
 * hash of the stream key: then each partition gives the first rows of its own. A barrier reads at
 * most the first {@code offset + limit} rows of a partition, twice.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, same key.
 */
public final class TopNOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  /** The hash of no columns: there is one partition. */
  private static final int HASH = 42;

  private final boolean local;
  private final String state;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] key;
  private final int[] kept;
  private final ArrayList<OrderEncoding.Key> order = new ArrayList<>();
  private final long offset;
  private final long end;

  public TopNOperator(Spec spec, List<Column> input, List<Column> output) {
    this.state = spec.text("state");
    this.local = spec.json().path("local").asBoolean();
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.key = spec.positions("key", input);
    this.kept = spec.positions(output, input);
    this.offset = spec.json().hasNonNull("offset") ? spec.number("offset") : 0;
    this.end = offset + spec.number("limit");
    for (Spec column : spec.list("order")) {
      int position = column.position("ref", input);
      order.add(
          new OrderEncoding.Key(position, column.flag("ascending"), column.flag("nullsFirst")));
    }
    for (int position : key) {
      order.add(new OrderEncoding.Key(position, true, true));
    }
    RowKeys.check(spec, input, key);
    OrderEncoding.check(spec, input, order);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    ChangeBuffer changes = ChangeBuffer.keyed(inputs.get(0), keys, code, input, counters,
        "top_n \"" + state + "\": a stream key changed twice in a barrier");
    StateTable rows = StateTable.ordered(tx, "rows", true, counters);
    Map<UnsafeRow, UnsafeRow[]> tops = new LinkedHashMap<>();
    byte[] last = top(rows, keys, tops, 0);
    if (!apply(rows, changes, keys, last)) {
      code.release();
      return Collections.emptyIterator();
    }
    top(rows, keys, tops, 1);
    return delta(code, tops.values().iterator(), counters);
  }

  /**
   * Reads the top into {@code tops}, by stream key, at {@code index}; gives the key of the last row
   * above the end, or null if there are not so many.
   */
  private byte[] top(StateTable rows, RowKeys keys, Map<UnsafeRow, UnsafeRow[]> tops, int index) {
    byte[] last = null;
    try (RowCursor cursor = rows.scan()) {
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

  /** Writes the changes; true if one may have moved the rows above the one with the key given. */
  private boolean apply(StateTable rows, ChangeBuffer changes, RowKeys keys, byte[] last) {
    OrderEncoding encoding = new OrderEncoding(input, order);
    ByteWriter before = new ByteWriter();
    ByteWriter after = new ByteWriter();
    boolean moved = false;
    for (ChangeBuffer.Change change : changes.net()) {
      before.clear();
      after.clear();
      UnsafeRow one = change.before() != null ? change.before() : change.after();
      int hash = local && one != null ? keys.hash(keys.of(one)) : HASH;
      if (change.before() != null) {
        encoding.write(change.before(), before);
        moved |= reaches(before, last);
      }
      if (change.after() != null) {
        encoding.write(change.after(), after);
        moved |= reaches(after, last);
        rows.put(hash, after.bytes, after.length, change.after());
      }
      boolean same = Arrays.equals(before.bytes, 0, before.length, after.bytes, 0, after.length);
      if (change.before() != null && !same) {
        rows.delete(hash, before.bytes, before.length);
      }
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
