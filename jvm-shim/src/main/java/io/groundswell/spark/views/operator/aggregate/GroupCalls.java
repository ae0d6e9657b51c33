package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The calls of an aggregation over the groups that a barrier touches, by the groups' numbers: what
 * each keeps, and the multisets and distinct values that calls share.
 *
 * <p>Flow: {@link #add} for each row; {@link #applyValues} at their end, and before it where
 * memory is short; then, for each group, {@link #read} if it is in the state, {@link #settle},
 * {@link #write} and {@link #results}.
 */
final class GroupCalls {
  private static final int ACCUMULATOR_BYTES = 24;
  private static final int MEMBER_BYTES = 80;

  private final List<AggregateCall> calls;
  private final Accumulators[] now; // by call
  private final Accumulators[] before; // by call, of one group
  private final ValueMultiset[] values; // by call; null if the call needs none; several may share
  private final List<ValueMultiset> multisets; // each once
  private final List<Told> told;
  private final List<DistinctValues> distinct;

  /**
   * @param tables opens a table of the state by its name
   */
  GroupCalls(List<AggregateCall> calls, Projections code, List<Column> input,
      Function<String, StateTable> tables) {
    this.calls = calls;
    ByteWriter scratch = new ByteWriter();
    this.now = new Accumulators[calls.size()];
    this.before = new Accumulators[calls.size()];
    for (int i = 0; i < now.length; i++) {
      Supplier<Accumulators> make = calls.get(i).accumulators(scratch);
      now[i] = make.get();
      before[i] = make.get();
      before[i].reserve(1);
    }
    this.values = new ValueMultiset[now.length];
    this.told = new ArrayList<>();
    Map<String, ValueMultiset> shared = new LinkedHashMap<>();
    for (int i = 0; i < now.length; i++) {
      AggregateCall call = calls.get(i);
      boolean first = true;
      if (call.byValue()) {
        String name = name(call);
        first = !shared.containsKey(name);
        values[i] = shared.computeIfAbsent(
            name, n -> new ValueMultiset(tables.apply(n), encoding(call, code, input)));
      }
      if (first && !call.ofDistinctValues()) {
        told.add(new Told(call, now[i], values[i]));
      }
    }
    this.multisets = List.copyOf(shared.values());
    this.distinct = DistinctValues.of(calls, tables);
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

  /** Whether rows are added with what stands for their group, see {@link #add}. */
  boolean needMembers() {
    return !distinct.isEmpty() || !multisets.isEmpty();
  }

  /** Makes room for groups with smaller numbers than this. */
  void reserve(int groups) {
    for (Accumulators each : now) {
      each.reserve(groups);
    }
  }

  /**
   * Adds a row to its group, or takes it away.
   *
   * @param member stands for the group; null if none is needed
   */
  void add(int group, ValueMultiset.Group member, InternalRow row, int weight) {
    for (Told each : told) {
      each.add(group, member, row, weight);
    }
    for (DistinctValues each : distinct) {
      each.add(member, row, weight);
    }
  }

  /** Adds what a {@link PartialAggregation} made of a group's rows. */
  void addPartial(int group, InternalRow row) {
    for (int i = 0; i < now.length; i++) {
      now[i].addPartial(group, row, calls.get(i).args());
    }
  }

  /** Bytes of memory that a group takes in all calls, about. */
  int groupBytes() {
    return calls.size() * ACCUMULATOR_BYTES + (needMembers() ? MEMBER_BYTES : 0);
  }

  /** Bytes of memory that what {@link #applyValues} writes takes, about. */
  long notedBytes() {
    long bytes = 0;
    for (ValueMultiset multiset : multisets) {
      bytes += multiset.notedBytes();
    }
    for (DistinctValues each : distinct) {
      bytes += each.notedBytes();
    }
    return bytes;
  }

  /**
   * Writes the multisets, and tells their calls what has come and gone.
   *
   * @param last whether all rows are in
   */
  void applyValues(boolean last, ToIntFunction<ValueMultiset.Group> number) {
    for (ValueMultiset multiset : multisets) {
      multiset.apply(last, ValueMultiset.Group.class,
          (member, value, old,
              count) -> notify(multiset, number.applyAsInt(member), value, old, count));
    }
    for (DistinctValues each : distinct) {
      each.apply(last,
          (member, call, value,
              weight) -> this.now[call].add(number.applyAsInt(member), value, 0, weight));
    }
  }

  private void notify(ValueMultiset multiset, int group, byte[] value, long old, long count) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] != multiset) {
        continue;
      }
      Accumulator accumulator = byValue(i, group);
      if (accumulator instanceof RecomputedAccumulator recomputed) {
        recomputed.changed(old, count);
      } else if (accumulator instanceof ExtremeAccumulator extreme && old == 0) {
        extreme.appeared(value);
      } else if (accumulator instanceof ExtremeAccumulator extreme && count == 0) {
        extreme.vanished(value);
      }
    }
  }

  private Accumulator byValue(int call, int group) {
    return ((AccumulatorObjects) now[call]).of(group);
  }

  /** Has what calls need of their multisets read, after all changes. */
  void settle(int group, ValueMultiset.Group member) {
    for (int i = 0; i < values.length; i++) {
      ValueMultiset multiset = values[i];
      if (multiset == null) {
        continue;
      }
      Accumulator accumulator = byValue(i, group);
      if (accumulator instanceof ExtremeAccumulator extreme) {
        extreme.settle(() -> multiset.first(member));
      } else if (accumulator instanceof RecomputedAccumulator recomputed) {
        recomputed.settle(multiset, member);
      }
    }
  }

  void write(int group, ByteWriter out) {
    for (Accumulators each : now) {
      each.write(group, out);
    }
  }

  /** Whether {@link #read} must come before rows are added; else it may come after them. */
  boolean readFirst() {
    return calls.stream().anyMatch(AggregateCall::readsFirst);
  }

  /** Adds what was written before the barrier. */
  void read(int group, ByteReader in) {
    for (Accumulators each : now) {
      each.read(group, in);
    }
  }

  /** The results of what was written before the barrier. */
  void resultsBefore(ByteReader in, InternalRow out) {
    for (int i = 0; i < before.length; i++) {
      before[i].clear(0);
      before[i].read(0, in);
      before[i].result(0, out, i);
    }
  }

  /** The group's results as of now. */
  void results(int group, InternalRow out) {
    for (int i = 0; i < now.length; i++) {
      now[i].result(group, out, i);
    }
  }

  /** The tables beside the groups'. */
  List<StateTable> tables() {
    List<StateTable> all = new ArrayList<>();
    multisets.forEach(each -> all.add(each.table()));
    distinct.forEach(each -> all.add(each.table()));
    return all;
  }

  /** A call, or those that share a multiset, that rows are added to one by one. */
  private static final class Told {
    private final Accumulators to;
    private final ValueMultiset values; // null: the accumulators are told
    private final int filter;
    private final int[] notNull; // arguments that must not be null
    private final int first;

    Told(AggregateCall call, Accumulators to, ValueMultiset values) {
      this.to = to;
      this.values = values;
      this.filter = call.filter();
      this.notNull = call.spark() == null ? call.args() : new int[0];
      this.first = call.args().length == 0 ? -1 : call.args()[0];
    }

    void add(int group, ValueMultiset.Group member, InternalRow row, int weight) {
      if (!AggregateCall.holds(filter, row) || AggregateCall.anyNull(row, notNull)) {
        return;
      }
      if (values == null) {
        to.add(group, row, first, weight);
      } else {
        values.add(member, row, weight);
      }
    }
  }
}
