package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.KeyIndex;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The groups of an aggregation that a barrier touches, decoded from the state at the first touch.
 *
 * <p>Flow: {@link #group} and {@link #add} for each row; {@link #applyValues} once; then, for each
 * of
 * {@link #groups}, {@link #results} and {@link #write}.
 */
final class GroupTable {
  private final RowKeys keys;
  private final TimeBound time;
  private final ByteWriter timedKey = new ByteWriter();
  private final List<AggregateCall> calls;
  private final StateTable table;
  private final List<Supplier<Accumulator>> accumulators = new ArrayList<>();
  private final KeyIndex index = new KeyIndex();
  private final List<Group> groups = new ArrayList<>(); // by number
  private final ValueMultiset[] values; // by call; null if the call needs none; several may share
  private final boolean[] leads; // by call: the first of those that share a multiset
  private final int[] told; // the calls that rows are added to one by one
  private final List<DistinctValues> distinct;
  private final ByteReader in = new ByteReader();
  private final ByteWriter out = new ByteWriter();
  private Group last;

  GroupTable(Transaction tx, Projections code, RowKeys keys, List<Column> input,
      List<AggregateCall> calls, TimeBound time, OperatorCounters counters) {
    this.keys = keys;
    this.time = time;
    this.calls = calls;
    this.table = StateTable.hashed(tx, "groups", counters);
    this.values = new ValueMultiset[calls.size()];
    this.leads = new boolean[calls.size()];
    ByteWriter scratch = new ByteWriter();
    Map<String, ValueMultiset> shared = new HashMap<>();
    for (int i = 0; i < values.length; i++) {
      AggregateCall call = calls.get(i);
      accumulators.add(call.accumulators(scratch));
      if (call.byValue()) {
        String name = name(call);
        leads[i] = !shared.containsKey(name);
        values[i] = shared.computeIfAbsent(name,
            n
            -> new ValueMultiset(StateTable.hashed(tx, n, counters), encoding(call, code, input)));
      }
    }
    this.told =
        IntStream.range(0, values.length)
            .filter(i -> !calls.get(i).ofDistinctValues() && (values[i] == null || leads[i]))
            .toArray();
    this.distinct = DistinctValues.of(calls, name -> StateTable.hashed(tx, name, counters));
  }

  private static String name(AggregateCall call) {
    if (call.recomputed()) {
      return "inputs-" + call.argsName() + "-" + call.filter()
          + (call.distinct() ? "-distinct" : "-all");
    }
    return "values-" + call.argsName() + "-" + call.filter()
        + (isDescending(call) ? "-desc" : "-asc");
  }

  private static ValueEncoding encoding(AggregateCall call, Projections code, List<Column> input) {
    return call.recomputed() ? ValueEncoding.inputs(call, code, input)
                             : ValueEncoding.values(call, isDescending(call));
  }

  private static boolean isDescending(AggregateCall call) {
    return call.function() == AggregateCall.Function.MAX;
  }

  /** One group: number of rows, accumulators, and the results it had before the barrier. */
  final class Group implements ValueMultiset.Group {
    private final UnsafeRow key;
    private final int hash;
    private final Accumulator[] made;
    private final Object[] before;
    private final Slice stored;
    private long rows;

    Group(UnsafeRow key, int hash) {
      this.key = key;
      this.hash = hash;
      this.made = new Accumulator[calls.size()];
      for (int i = 0; i < made.length; i++) {
        made[i] = accumulators.get(i).get();
      }
      Slice found = find(this);
      this.stored = new Slice();
      if (found != null) {
        stored.set(found.bytes, found.offset, found.length);
        in.set(found.bytes, found.offset);
        rows = in.getVarLong();
        for (Accumulator accumulator : made) {
          accumulator.read(in);
        }
      }
      this.before = found == null ? null : current();
    }

    private Object[] current() {
      Object[] results = new Object[made.length];
      for (int i = 0; i < results.length; i++) {
        results[i] = made[i].result();
      }
      return results;
    }

    @Override
    public UnsafeRow key() {
      return key;
    }

    @Override
    public int hash() {
      return hash;
    }

    @Override
    public void writeTime(ByteWriter out) {
      if (time != null) {
        time.write(key, out);
      }
    }

    long rows() {
      return rows;
    }

    /** The results before the barrier; null if there was no such group. */
    Object[] before() {
      return before;
    }
  }

  /** The group of that key; the key is copied if kept. */
  Group group(UnsafeRow key) {
    if (last != null && last.key.equals(key)) { // rows of a group often follow each other
      return last;
    }
    int hash = keys.hash(key);
    int number = index.find(hash, key);
    if (number >= 0) {
      last = groups.get(number);
    } else {
      last = new Group(index.add(hash, key), hash);
      groups.add(last);
    }
    return last;
  }

  List<Group> groups() {
    return groups;
  }

  /** Adds a row to its group, or takes it away. */
  void add(Group group, InternalRow row, int weight) {
    group.rows += weight;
    for (int i : told) {
      AggregateCall call = calls.get(i);
      if (!AggregateCall.holds(call.filter(), row)
          || (call.spark() == null && AggregateCall.anyNull(row, call.args()))) {
        continue;
      }
      if (values[i] == null) {
        group.made[i].add(row, call.args().length == 0 ? -1 : call.args()[0], weight);
      } else {
        values[i].add(group, row, weight);
      }
    }
    for (DistinctValues each : distinct) {
      each.add(group, row, weight);
    }
  }

  /** Adds what a {@link PartialAggregation} made of so many rows. */
  void addPartial(Group group, InternalRow row, long rows) {
    group.rows += rows;
    for (int i = 0; i < values.length; i++) {
      group.made[i].addPartial(row, calls.get(i).args());
    }
  }

  /** Writes the multisets, and tells their calls what has come and gone. */
  void applyValues() {
    for (int i = 0; i < values.length; i++) {
      if (leads[i]) {
        ValueMultiset multiset = values[i];
        multiset.apply(
            Group.class, (group, value, old, now) -> notify(multiset, group, value, old, now));
      }
    }
    for (DistinctValues each : distinct) {
      each.apply((group, call, value, weight) -> ((Group) group).made[call].add(value, 0, weight));
    }
  }

  private void notify(ValueMultiset multiset, Group group, byte[] value, long old, long now) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] != multiset) {
        continue;
      }
      if (group.made[i] instanceof RecomputedAccumulator recomputed) {
        recomputed.changed(old, now);
      } else if (group.made[i] instanceof ExtremeAccumulator extreme && old == 0) {
        extreme.appeared(value);
      } else if (group.made[i] instanceof ExtremeAccumulator extreme && now == 0) {
        extreme.vanished(value);
      }
    }
  }

  /** The group's results as of now. */
  Object[] results(Group group) {
    for (int i = 0; i < values.length; i++) {
      ValueMultiset multiset = values[i];
      if (group.made[i] instanceof ExtremeAccumulator extreme) {
        extreme.settle(() -> multiset.first(group));
      } else if (group.made[i] instanceof RecomputedAccumulator recomputed) {
        recomputed.settle(multiset, group);
      }
    }
    return group.current();
  }

  void write(Group group, boolean vanishes) {
    if (vanishes) {
      if (group.before != null) {
        if (time == null) {
          table.delete(group.hash, group.key);
        } else {
          timed(group);
          table.delete(group.hash, timedKey.bytes, timedKey.length);
        }
      }
      return;
    }
    out.clear();
    out.putVarLong(group.rows);
    for (Accumulator accumulator : group.made) {
      accumulator.write(out);
    }
    Slice old = group.stored;
    boolean same = group.before != null
        && Arrays.equals(out.bytes, 0, out.length, old.bytes, old.offset, old.offset + old.length);
    if (same) {
      return;
    }
    if (time == null) {
      table.put(group.hash, group.key, out.bytes, 0, out.length);
    } else {
      timed(group);
      table.put(group.hash, timedKey.bytes, timedKey.length, out.bytes, out.length);
    }
  }

  private Slice find(Group group) {
    if (time == null) {
      return table.get(group.hash, group.key);
    }
    timed(group);
    return table.get(group.hash, timedKey.bytes, timedKey.length);
  }

  private void timed(Group group) {
    timedKey.clear();
    time.write(group.key, timedKey);
    timedKey.putBytes(
        StateTable.bytes(group.key), StateTable.offset(group.key), group.key.getSizeInBytes());
  }

  /** Ends the groups that the watermark has passed. */
  void clean() {
    if (time == null) {
      return;
    }
    time.clean(table);
    for (int i = 0; i < values.length; i++) {
      if (leads[i]) {
        time.clean(values[i].table());
      }
    }
    distinct.forEach(each -> time.clean(each.table()));
  }
}
