package io.groundswell.spark.views.operator.rank;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.FirstRowsSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.spark.views.operator.state.UnreadRows;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * {@code row_number() <= limit} over rows that are never taken back: {@code Δ = first(F + ΔX) - F},
 * for each partition that the barrier touches. A row that is not, or no longer, among the first
 * never comes back, so it is forgotten at once.
 *
 * <p>State: {@code first}, by the hash of the partition: partition columns, with a watermark on one
 * of them behind its time (8 bytes) → its first rows, see {@link FirstRows}. A touched partition
 * costs one read and, if its first rows change, one write; those that the watermark has passed end.
 * {@link UnreadRows} end, too.
 *
 * <p>Takes inserts; ties stand in the order of their stream keys. Gives inserts, deletes and
 * updates of the rows and their numbers, keyed by stream key; of a limit of 1, by the partition.
 */
public final class FirstRowsOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;

  /** Bytes of a partition beside its key, and of a row beside its own. */
  private static final int KEY_OVERHEAD = 250;

  private static final int ROW_OVERHEAD = 80;

  private final String state;
  private final List<Column> input;
  private final int[] partition;
  private final ArrayList<OrderEncoding.Key> order = new ArrayList<>();
  private final int limit;
  private final TimeBound time; // null: none
  private final UnreadRows unread; // null: none

  public FirstRowsOperator(
      FirstRowsSpec spec, List<Column> input, List<Column> output, CallResolver resolver) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.partition = refs.positions(spec.partition(), input);
    this.limit = spec.limit();
    TimeBound bound = TimeBound.of(spec.watermark(), refs, input, resolver);
    this.time = bound == null ? null : bound.at(partition, refs, input);
    if (spec.unread() != null && (limit != 1 || time != null)) {
      throw refs.invalid("ends rows that are not read: it needs a limit of 1, and no watermark");
    }
    this.unread = UnreadRows.of(spec.unread(), refs, input, input, resolver);
    order.addAll(OrderEncoding.keys(spec.order(), refs, input));
    for (int position : refs.positions(spec.key(), input)) {
      order.add(new OrderEncoding.Key(position, true, true));
    }
    if (output.size() != input.size() + 1 || !output.subList(0, input.size()).equals(input)
        || !output.get(input.size()).type().equals(DataTypes.IntegerType)) {
      throw refs.invalid("must give the columns of its input, then the number");
    }
    RowKeys.check(refs, input, partition);
    OrderEncoding.check(refs, input, order);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (time != null) {
      time.prepare(watermarks);
    }
    return unread != null && unread.prepare(watermarks);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    StateTable first = StateTable.hashed(tx, "first", counters);
    if (time != null) {
      time.clean(first);
    }
    UnreadRows.InState ending = unread == null ? null : unread.in(tx, partition.length, counters);
    if (ending != null) {
      endUnread(first, ending);
    }
    return Passes.over(inputs,
        ()
            -> new NewRows(first, ending, counters),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
  }

  /** Ends what the watermark has passed, but where a row has come since that is read. */
  private void endUnread(StateTable first, UnreadRows.InState ending) {
    RowKeys keys = new RowKeys(new Projections(), input, partition);
    OrderEncoding encoding = new OrderEncoding(input, order);
    while (ending.take()) {
      UnsafeRow key = ending.partition();
      int hash = keys.hash(key);
      Slice found = first.get(hash, key);
      FirstRows rows = new FirstRows(limit);
      if (found != null) {
        rows.read(found, input.size(), encoding);
      }
      if (rows.size() == 1 && ending.isPassed(rows.row(0))) {
        first.delete(hash, key);
      } else {
        Mark.UNREAD_ROW_WAS_REPLACED.hit();
      }
    }
  }

  /** The first of the new rows by partition; no others can be among the first of all. */
  private final class NewRows implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowKeys keys = new RowKeys(code, input, partition);
    private final UnsafeProjection values = code.select(input, Projections.all(input.size()));
    private final OrderEncoding encoding = new OrderEncoding(input, order);
    private final ByteWriter at = new ByteWriter();
    private final Map<UnsafeRow, FirstRows> added = new LinkedHashMap<>();
    private final StateTable table;
    private final UnreadRows.InState ending;
    private final OperatorCounters counters;

    NewRows(StateTable table, UnreadRows.InState ending, OperatorCounters counters) {
      this.table = table;
      this.ending = ending;
      this.counters = counters;
    }

    @Override
    public long add(int number, InternalRow row) {
      UnsafeRow key = key(row);
      FirstRows first = added.get(key);
      long held = 0;
      if (first == null) {
        first = new FirstRows(limit);
        added.put(key.copy(), first);
        held = KEY_OVERHEAD + key.getSizeInBytes();
      }
      at.clear();
      encoding.writeFirst(row, at);
      if (first.isBehind(at)) {
        return held;
      }
      encoding.writeRest(row, at);
      int place = first.place(at);
      if (place < limit) {
        int before = first.size();
        UnsafeRow value = values.apply(row);
        first.insert(place, at, value.copy(), true);
        held += first.size() == before ? 0 : ROW_OVERHEAD + at.length + value.getSizeInBytes();
      }
      return held;
    }

    private UnsafeRow key(InternalRow row) {
      UnsafeRow key = keys.of(row);
      if (row.getInt(input.size()) != 1) {
        throw RowKeys.inconsistent("first_rows \"" + state
            + "\": a row of an append-only input is taken back, in the partition "
            + keys.text(key));
      }
      return key;
    }

    @Override
    public void moveAll(Passes.Target parts) {
      added.forEach((key, first) -> {
        int hash = keys.hash(key);
        for (int place = 0; place < first.size(); place++) {
          parts.add(0, hash, 1, first.row(place));
        }
      });
      added.clear();
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      parts.add(number, keys.hash(key(row)), 1, values.apply(row));
    }

    @Override
    public Iterator<InternalRow> changes() {
      return new Delta(code, this, added.entrySet().iterator());
    }
  }

  /** What the new rows do to the first ones, partition by partition. */
  private final class Delta extends ChangeIterator {
    private final NewRows of;
    private final Iterator<Map.Entry<UnsafeRow, FirstRows>> added;
    private final ByteWriter place = new ByteWriter();
    private final ByteWriter scratch = new ByteWriter();
    private final UnsafeRowJoiner joinOld;
    private final UnsafeRowJoiner joinNow;
    private final UnsafeRow number = new UnsafeRow(1);
    private FirstRows was;
    private FirstRows is;
    private int at; // in the rows that were, then in those that are

    Delta(Projections code, NewRows of, Iterator<Map.Entry<UnsafeRow, FirstRows>> added) {
      super(code, withNumber(Projections.types(input)), of.counters);
      this.of = of;
      this.added = added;
      DataType[] numbers = {DataTypes.IntegerType};
      this.joinOld = code.joiner(Projections.types(input), numbers);
      this.joinNow = code.joiner(Projections.types(input), numbers);
      number.pointTo(new byte[16], 16);
    }

    @Override
    protected boolean advance() {
      if (is == null) {
        if (!added.hasNext()) {
          return false;
        }
        load(added.next());
        return true;
      }
      if (limit == 1) {
        give(was.size() == 1 ? 0 : -1, 0);
        is = null;
      } else if (at < was.size()) {
        int now = is.find(was.row(at));
        if (now != at) {
          give(at, now);
        }
        at++;
      } else if (at - was.size() < is.size()) {
        int now = at++ - was.size();
        if (is.isNew(now)) {
          give(-1, now);
        }
      } else {
        is = null;
      }
      return true;
    }

    /** Numbers are places, counted from 1; -1: the row is not among the first. */
    private void give(int old, int now) {
      if (old >= 0) {
        number.setInt(0, old + 1);
        before = joinOld.join(was.row(old), number);
      }
      if (now >= 0) {
        number.setInt(0, now + 1);
        after = joinNow.join(is.row(now), number);
      }
    }

    private void load(Map.Entry<UnsafeRow, FirstRows> entry) {
      UnsafeRow key = entry.getKey();
      int hash = of.keys.hash(key);
      place.clear();
      if (time != null) {
        time.write(key, place);
      }
      place.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
      Slice found = of.table.get(hash, place.bytes, place.length);
      was = new FirstRows(limit);
      if (found != null) {
        was.read(found, input.size(), of.encoding);
      }
      FirstRows merged = was.mergedWith(entry.getValue());
      if (merged == null) {
        Mark.FIRST_ROWS_STAY.hit();
        return;
      }
      is = merged;
      at = 0;
      scratch.clear();
      is.write(scratch);
      of.table.put(hash, place.bytes, place.length, scratch.bytes, scratch.length);
      if (of.ending != null) {
        of.ending.note(hash, key, is.row(0));
      }
    }
  }

  private static DataType[] withNumber(DataType[] types) {
    List<DataType> all = new ArrayList<>(List.of(types));
    all.add(DataTypes.IntegerType);
    return all.toArray(DataType[] ::new);
  }
}
