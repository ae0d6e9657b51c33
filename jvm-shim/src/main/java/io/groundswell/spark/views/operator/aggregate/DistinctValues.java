package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.Slice;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * How often each group holds each value of the arguments that DISTINCT calls share: a count for
 * each FILTER of theirs, so that a row looks its value up once for all of them.
 *
 * <p>Table, by the hash of group and value, so that filters tell which values are new: the group's
 * time, if it has one | length of the group's key (4 bytes) | the group's key | the value, see
 * {@link ValueEncoding} → counts. A barrier's changes are summed in memory and touch the table only
 * at (group, value). Where nothing is ever taken away a count is 0 or 1.
 */
final class DistinctValues {
  /** Told of values that come to a group or go. */
  interface Listener {
    /**
     * @param call its number
     * @param value a row of the only argument; null if there are several
     * @param weight 1 or -1
     */
    void changed(ValueMultiset.Group group, int call, InternalRow value, int weight);
  }

  private static final String TABLES = "distinct-";

  private final StateTable table;
  private final ValueEncoding encoding;
  private final int[] args;
  private final boolean isSet;
  private final int[] filters; // positions; -1: all rows
  private final List<List<Integer>> calls; // by filter
  private DistinctChanges changes;
  private final long[] before;
  private final long[] after;
  private final ByteWriter scratch = new ByteWriter();

  private DistinctValues(StateTable table, AggregateCall call, Map<Integer, List<Integer>> calls) {
    this.table = table;
    this.encoding = ValueEncoding.values(call, false);
    this.args = call.args();
    this.isSet = call.appendOnly();
    this.filters = calls.keySet().stream().mapToInt(filter -> filter).toArray();
    this.calls = List.copyOf(calls.values());
    this.changes = new DistinctChanges(filters.length);
    this.before = new long[filters.length];
    this.after = new long[filters.length];
  }

  /** Whether a table is of such values. */
  static boolean isTable(String name) {
    return name.startsWith(TABLES);
  }

  /** What the calls need, one for each list of arguments. */
  static List<DistinctValues> of(List<AggregateCall> calls, Function<String, StateTable> tables) {
    Map<String, Map<Integer, List<Integer>>> found = new LinkedHashMap<>();
    for (int i = 0; i < calls.size(); i++) {
      AggregateCall call = calls.get(i);
      if (call.ofDistinctValues()) {
        found.computeIfAbsent(TABLES + call.argsName(), n -> new LinkedHashMap<>())
            .computeIfAbsent(call.filter(), f -> new ArrayList<>())
            .add(i);
      }
    }
    List<DistinctValues> all = new ArrayList<>();
    found.forEach((name, byFilter) -> {
      AggregateCall any = calls.get(byFilter.values().iterator().next().get(0));
      all.add(new DistinctValues(tables.apply(name), any, byFilter));
    });
    return all;
  }

  /** Notes that the group gets or loses the values in this row. */
  void add(ValueMultiset.Group group, InternalRow row, int weight) {
    int slot = -1;
    for (int i = 0; i < filters.length; i++) {
      if (!AggregateCall.holds(filters[i], row)) {
        continue;
      }
      if (slot < 0) {
        if (AggregateCall.anyNull(row, args)) {
          return;
        }
        scratch.clear();
        encoding.write(row, null, scratch);
        slot = changes.slot(group, scratch.bytes, scratch.length);
      }
      changes.add(slot, i, weight);
    }
  }

  /**
   * Writes what was noted. Rows come in any order: before the last of them, a value that is taken
   * away more often than it is there stays noted.
   */
  void apply(boolean last, Listener listener) {
    DistinctChanges early = new DistinctChanges(filters.length);
    ByteReader in = new ByteReader();
    ByteWriter out = new ByteWriter();
    for (int slot : changes.inOrder()) {
      if (changes.isNothing(slot)) {
        continue;
      }
      int hash = changes.hash(slot);
      scratch.clear();
      changes.group(slot).writePrefix(scratch);
      changes.writeValue(slot, scratch);
      Slice found = table.get(hash, scratch.bytes, scratch.length);
      if (found == null) {
        Arrays.fill(before, 0);
      } else {
        in.set(found.bytes, found.offset);
        for (int i = 0; i < before.length; i++) {
          before[i] = in.getVarLong();
        }
      }
      if (!last && isTakenTooOften(slot)) {
        changes.moveTo(early, slot);
        continue;
      }
      if (!count(slot)) {
        continue;
      }
      if (Arrays.stream(after).allMatch(count -> count == 0)) {
        table.delete(hash, scratch.bytes, scratch.length);
      } else {
        out.clear();
        for (long count : after) {
          out.putVarLong(count);
        }
        table.put(hash, scratch.bytes, scratch.length, out.bytes, out.length);
      }
      tell(slot, listener);
    }
    changes = early;
  }

  private boolean isTakenTooOften(int slot) {
    for (int i = 0; i < before.length; i++) {
      if (before[i] + changes.change(slot, i) < 0) {
        return true;
      }
    }
    return false;
  }

  /** Bytes of memory that what was noted takes, about. */
  long notedBytes() {
    return changes.bytes();
  }

  /** Finds the counts after the barrier; false if they are those before it. */
  private boolean count(int slot) {
    boolean differ = false;
    for (int i = 0; i < after.length; i++) {
      long change = changes.change(slot, i);
      long now = before[i] + change;
      if (now < 0 || (isSet && change < 0)) {
        throw RowKeys.inconsistent("aggregate: "
            + (args.length > 1 ? "an input" : "the value " + encoding.decode(changes.value(slot)))
            + " is taken away " + -change + " times from a group that holds it " + before[i]
            + " times");
      }
      after[i] = isSet ? Math.min(now, 1) : now;
      differ |= after[i] != before[i];
    }
    return differ;
  }

  private void tell(int slot, Listener listener) {
    InternalRow value = null;
    for (int i = 0; i < after.length; i++) {
      if ((before[i] == 0) == (after[i] == 0)) {
        continue;
      }
      if (value == null && args.length == 1) {
        value = new GenericInternalRow(new Object[] {encoding.decode(changes.value(slot))});
      }
      for (int call : calls.get(i)) {
        listener.changed(changes.group(slot), call, value, before[i] == 0 ? 1 : -1);
      }
    }
  }

  StateTable table() {
    return table;
  }
}
