package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.Slice;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.KeyIndex;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.storage.FastPath;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The groups of an aggregation that a barrier touches, numbered as they come. A group is no object:
 * keys, rows and what the {@link GroupCalls} keep stand in arrays.
 *
 * <p>Flow: {@link #group} and {@link #add} for each row, which sum up what the barrier brings and,
 * but for few calls, touch no state; {@link #applyValues} at their end, and before it where memory
 * is short; then, for each of the {@link #size} groups, {@link #load}, which adds what the state
 * has, and the group's results and {@link #write}.
 */
final class GroupTable {
  private static final int FIRST = 64;

  private final RowKeys keys;
  private final TimeBound time;
  private final StateTable table;
  private final GroupCalls calls;
  private final boolean readFirst;
  private final boolean needMembers;
  private final int groupBytes;
  private final KeyIndex index = new KeyIndex();
  private long[] rows = {};
  private Member[] members = {}; // none of them if no call needs one
  private final UnsafeRow at;
  private final ByteWriter timedKey = new ByteWriter();
  private final ByteReader in = new ByteReader();
  private final ByteWriter out = new ByteWriter();
  private int last = -1;
  private Slice stored; // what the state has of the group that was loaded last; null: nothing

  GroupTable(StateTable table, GroupCalls calls, RowKeys keys, TimeBound time) {
    this.table = table;
    this.calls = calls;
    this.readFirst = calls.readFirst();
    this.needMembers = calls.needMembers();
    this.groupBytes = Long.BYTES + calls.groupBytes();
    this.keys = keys;
    this.time = time;
    this.at = new UnsafeRow(Math.max(1, keys.width()));
  }

  /** The number of the group of that key; -1: it is none of them. */
  int find(UnsafeRow key) {
    return index.find(keys.hash(key), key);
  }

  /** Bytes of memory that groups and values take, about. */
  long bytes() {
    return index.bytes() + (long) index.size() * groupBytes + calls.notedBytes();
  }

  /** Stands for a group where values are noted by group. */
  private final class Member implements ValueMultiset.Group {
    private final int number;
    private final UnsafeRow key;

    Member(int number) {
      this.number = number;
      this.key = new UnsafeRow(at.numFields());
      index.point(number, key);
    }

    @Override
    public UnsafeRow key() {
      return key;
    }

    @Override
    public int hash() {
      return index.hash(number);
    }

    @Override
    public void writeTime(ByteWriter out) {
      if (time != null) {
        time.write(key, out);
      }
    }
  }

  /** The number of the group of that key; the key is copied if kept. */
  int group(UnsafeRow key) {
    if (last >= 0 && index.has(last, key)) { // rows of a group often follow each other
      return last;
    }
    int hash = keys.hash(key);
    last = index.find(hash, key);
    if (last < 0) {
      last = index.add(hash, key);
      open(last);
    }
    return last;
  }

  private void open(int group) {
    if (group == rows.length) {
      int size = Math.max(FIRST, 2 * group);
      rows = Arrays.copyOf(rows, size);
      members = Arrays.copyOf(members, size);
      calls.reserve(size);
    }
    if (needMembers) {
      members[group] = new Member(group);
    }
    if (readFirst && find(group)) {
      read(group);
    }
  }

  int size() {
    return index.size();
  }

  /** The group's key; reused by the next call. */
  UnsafeRow key(int group) {
    index.point(group, at);
    return at;
  }

  /** Adds a row to its group, or takes it away. */
  void add(int group, InternalRow row, int weight) {
    rows[group] += weight;
    calls.add(group, members[group], row, weight);
  }

  /** Adds what a {@link PartialAggregation} made of so many rows. */
  void addPartial(int group, InternalRow row, long folded) {
    rows[group] += folded;
    calls.addPartial(group, row);
  }

  /**
   * Takes in what has come to multisets and gone from them.
   *
   * @param last whether all rows are in
   */
  void applyValues(boolean last) {
    calls.applyValues(last, member -> ((Member) member).number);
  }

  /** Adds what the state has of the group: the one that the methods below are called for. */
  void load(int group) {
    if (find(group) && !readFirst) {
      read(group);
    }
  }

  private void read(int group) {
    in.set(stored.bytes, stored.offset);
    rows[group] += in.getVarLong();
    calls.read(group, in);
  }

  /** Whether there was such a group before the barrier. */
  boolean wasThere() {
    return stored != null;
  }

  /** Looks for a group in the state, whether the barrier touches it or not. */
  boolean look(UnsafeRow key) {
    stored = table.get(keys.hash(key), key);
    return stored != null;
  }

  /** Takes the group out of the state that was looked for last. */
  void end(UnsafeRow key) {
    table.delete(keys.hash(key), key);
  }

  /** Of how many rows the group is now. */
  long rows(int group) {
    return rows[group];
  }

  /** The results that the group had before the barrier. */
  void resultsBefore(InternalRow results) {
    in.set(stored.bytes, stored.offset);
    in.getVarLong();
    calls.resultsBefore(in, results);
  }

  /** The results that the group has now. */
  void results(int group, InternalRow results) {
    calls.results(group, results);
  }

  /** Writes what is kept of the group; false if the state has just that. */
  boolean write(int group) {
    calls.settle(group, members[group]);
    out.clear();
    out.putVarLong(rows[group]);
    calls.write(group, out);
    if (stored != null && FastPath.UNCHANGED_GROUP.isOpen()
        && Arrays.equals(
            out.bytes, 0, out.length, stored.bytes, stored.offset, stored.offset + stored.length)) {
      return false;
    }
    if (time == null) {
      table.put(index.hash(group), key(group), out.bytes, 0, out.length);
    } else {
      timed(group);
      table.put(index.hash(group), timedKey.bytes, timedKey.length, out.bytes, out.length);
    }
    return true;
  }

  /** Takes the group out of the state; false if it was not there. */
  boolean delete(int group) {
    if (stored == null) {
      return false;
    }
    if (time == null) {
      table.delete(index.hash(group), key(group));
    } else {
      timed(group);
      table.delete(index.hash(group), timedKey.bytes, timedKey.length);
    }
    return true;
  }

  private boolean find(int group) {
    if (time == null) {
      stored = table.get(index.hash(group), key(group));
    } else {
      timed(group);
      stored = table.get(index.hash(group), timedKey.bytes, timedKey.length);
    }
    return stored != null;
  }

  private void timed(int group) {
    UnsafeRow key = key(group);
    timedKey.clear();
    time.write(key, timedKey);
    timedKey.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }

  /** Ends the groups that the watermark has passed. */
  void clean() {
    if (time != null) {
      time.clean(table);
      calls.tables().forEach(time::clean);
    }
  }
}
