package io.groundswell.spark.operator;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
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
  private final List<AggregateCall> calls;
  private final StateTable table;
  private final Map<UnsafeRow, Group> groups = new LinkedHashMap<>();
  private final ValueMultiset[] values; // by call; null if the call needs none; several may share
  private final boolean[] leads; // by call: the first of those that share a multiset
  private final ByteReader in = new ByteReader();
  private final ByteWriter out = new ByteWriter();
  private final ByteWriter scratch = new ByteWriter();

  GroupTable(Transaction tx, RowKeys keys, List<AggregateCall> calls, OperatorCounters counters) {
    this.keys = keys;
    this.calls = calls;
    this.table = StateTable.hashed(tx, "groups", counters);
    this.values = new ValueMultiset[calls.size()];
    this.leads = new boolean[calls.size()];
    Map<String, ValueMultiset> shared = new HashMap<>();
    for (int i = 0; i < values.length; i++) {
      AggregateCall call = calls.get(i);
      if (call.byValue()) {
        boolean descending = call.function() == AggregateCall.Function.MAX;
        String name =
            "values-" + call.arg() + "-" + call.filter() + (descending ? "-desc" : "-asc");
        leads[i] = !shared.containsKey(name);
        values[i] = shared.computeIfAbsent(name,
            n
            -> new ValueMultiset(
                StateTable.hashed(tx, n, counters), ValueCodec.of(call.type()), descending));
      }
    }
  }

  /** One group: number of rows, accumulators, and the results it had before the barrier. */
  final class Group implements ValueMultiset.Group {
    private final UnsafeRow key;
    private final int hash;
    private final Accumulator[] accumulators;
    private final Object[] before;
    private final Slice stored;
    private long rows;

    Group(UnsafeRow key) {
      this.key = key;
      this.hash = keys.hash(key);
      this.accumulators = new Accumulator[calls.size()];
      for (int i = 0; i < accumulators.length; i++) {
        accumulators[i] = calls.get(i).accumulator(scratch);
      }
      Slice found = table.get(hash, key);
      this.stored = new Slice();
      if (found != null) {
        stored.set(found.bytes, found.offset, found.length);
        in.set(found.bytes, found.offset);
        rows = in.getVarLong();
        for (Accumulator accumulator : accumulators) {
          accumulator.read(in);
        }
      }
      this.before = found == null ? null : current();
    }

    private Object[] current() {
      Object[] results = new Object[accumulators.length];
      for (int i = 0; i < results.length; i++) {
        results[i] = accumulators[i].result();
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
    Group group = groups.get(key);
    if (group == null) {
      group = new Group(key.copy());
      groups.put(group.key, group);
    }
    return group;
  }

  Collection<Group> groups() {
    return groups.values();
  }

  /** Adds a row to its group, or takes it away. */
  void add(Group group, InternalRow row, int weight) {
    group.rows += weight;
    for (int i = 0; i < values.length; i++) {
      AggregateCall call = calls.get(i);
      int filter = call.filter();
      int arg = call.arg();
      if (filter >= 0 && (row.isNullAt(filter) || !row.getBoolean(filter))) {
        continue;
      }
      if (arg >= 0 && row.isNullAt(arg)) {
        continue;
      }
      if (values[i] == null) {
        group.accumulators[i].add(row, arg, weight);
      } else if (leads[i]) {
        values[i].add(group, row, arg, weight);
      }
    }
  }

  /** Writes the multisets, and tells their calls what has come and gone. */
  void applyValues() {
    for (int i = 0; i < values.length; i++) {
      if (leads[i]) {
        ValueMultiset multiset = values[i];
        multiset.apply(
            Group.class, (group, value, appeared) -> notify(multiset, group, value, appeared));
      }
    }
  }

  private void notify(ValueMultiset multiset, Group group, byte[] value, boolean appeared) {
    InternalRow decoded = null;
    for (int i = 0; i < values.length; i++) {
      if (values[i] != multiset) {
        continue;
      }
      if (!(group.accumulators[i] instanceof ExtremeAccumulator extreme)) {
        decoded = decoded == null ? new GenericInternalRow(new Object[] {multiset.decode(value)})
                                  : decoded;
        group.accumulators[i].add(decoded, 0, appeared ? 1 : -1);
      } else if (appeared) {
        extreme.appeared(value);
      } else {
        extreme.vanished(value);
      }
    }
  }

  /** The group's results as of now. */
  Object[] results(Group group) {
    for (int i = 0; i < values.length; i++) {
      ValueMultiset multiset = values[i];
      if (group.accumulators[i] instanceof ExtremeAccumulator extreme) {
        extreme.settle(() -> multiset.first(group));
      }
    }
    return group.current();
  }

  void write(Group group, boolean vanishes) {
    if (vanishes) {
      if (group.before != null) {
        table.delete(group.hash, group.key);
      }
      return;
    }
    out.clear();
    out.putVarLong(group.rows);
    for (Accumulator accumulator : group.accumulators) {
      accumulator.write(out);
    }
    Slice old = group.stored;
    boolean same = group.before != null
        && Arrays.equals(out.bytes, 0, out.length, old.bytes, old.offset, old.offset + old.length);
    if (!same) {
      table.put(group.hash, group.key, out.bytes, 0, out.length);
    }
  }
}
