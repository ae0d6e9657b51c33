package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * How often each group holds each value of a call's arguments: what min, max and functions of
 * Spark's need to survive retraction.
 *
 * <p>Table, by the hash of the group: the group's time, if it has one | length of the group's key
 * (4 bytes) | the group's key | the value, see {@link ValueEncoding} → count, and the row of
 * arguments if the encoding keeps rows. So the values of a group stand together, in order. A
 * barrier's changes are summed in memory and touch the table only at (group, value).
 */
final class ValueMultiset {
  /** A group as the multiset sees it. */
  interface Group {
    UnsafeRow key();

    int hash();

    /** Appends what keys of the group begin with: its time, if watermarks end groups. */
    default void writeTime(ByteWriter out) {}

    /** Appends what keys of the group's values begin with. */
    default void writePrefix(ByteWriter out) {
      writeTime(out);
      out.putInt(key().getSizeInBytes());
      out.putBytes(StateTable.bytes(key()), StateTable.offset(key()), key().getSizeInBytes());
    }
  }

  /** Told about values that a group holds more or less often than before. */
  interface Listener<G extends Group> {
    void changed(G group, byte[] value, long old, long now);
  }

  /** Takes a row of arguments and how often a group holds it. */
  interface Rows {
    void accept(UnsafeRow row, long count);
  }

  /** Bytes of a change beside its value: objects, and the map's entry. */
  private static final int NOTED_OVERHEAD = 160;

  private final StateTable table;
  private final ValueEncoding encoding;
  private final ByteWriter scratch = new ByteWriter();
  private final Map<Entry, Delta> changes = new LinkedHashMap<>();
  private final Entry probe = new Entry();
  private long noted; // bytes of the changes, about

  ValueMultiset(StateTable table, ValueEncoding encoding) {
    this.table = table;
    this.encoding = encoding;
  }

  /** Notes that the group gets or loses the values of the call's arguments in this row. */
  void add(Group group, InternalRow row, int weight) {
    scratch.clear();
    UnsafeRow kept = encoding.row(row);
    encoding.write(row, kept, scratch);
    probe.set(group, scratch.bytes, scratch.length);
    Delta delta = changes.get(probe);
    if (delta == null) {
      delta = new Delta(kept == null ? null : kept.copy());
      Entry entry = new Entry();
      entry.set(group, scratch.copy(0), scratch.length);
      changes.put(entry, delta);
      noted += bytes(entry, delta);
    }
    delta.count += weight;
  }

  /**
   * Writes what was noted. Rows come in any order: before the last of them, a value that is taken
   * away more often than it is there stays noted.
   */
  <G extends Group> void apply(boolean last, Class<G> groups, Listener<G> listener) {
    ByteReader in = new ByteReader();
    ByteWriter out = new ByteWriter();
    List<Map.Entry<Entry, Delta>> early = new ArrayList<>();
    for (Map.Entry<Entry, Delta> change : changes.entrySet()) {
      long delta = change.getValue().count;
      if (delta == 0) {
        continue;
      }
      Entry entry = change.getKey();
      int hash = entry.group.hash();
      prefix(entry.group);
      scratch.putBytes(entry.value, 0, entry.value.length);
      Slice found = table.get(hash, scratch.bytes, scratch.length);
      long old = 0;
      if (found != null) {
        in.set(found.bytes, found.offset);
        old = in.getVarLong();
      }
      long now = old + delta;
      if (now < 0 && !last) {
        Mark.VALUE_LEAVES_EARLY.hit();
        early.add(change);
        continue;
      }
      if (now < 0) {
        throw RowKeys.inconsistent("aggregate: "
            + (encoding.keepsRows() || encoding.width() > 1 ? "an input"
                                                            : "the value " + decode(entry.value))
            + " is taken away " + -delta + " times from a group that holds it " + old + " times");
      }
      if (now == 0) {
        table.delete(hash, scratch.bytes, scratch.length);
      } else {
        out.clear();
        out.putVarLong(now);
        UnsafeRow row = change.getValue().row;
        if (row != null) {
          out.putBytes(StateTable.bytes(row), StateTable.offset(row), row.getSizeInBytes());
        }
        table.put(hash, scratch.bytes, scratch.length, out.bytes, out.length);
      }
      listener.changed(groups.cast(entry.group), entry.value, old, now);
    }
    changes.clear();
    noted = 0;
    for (Map.Entry<Entry, Delta> change : early) {
      changes.put(change.getKey(), change.getValue());
      noted += bytes(change.getKey(), change.getValue());
    }
  }

  private static long bytes(Entry entry, Delta delta) {
    return NOTED_OVERHEAD + entry.length + (delta.row == null ? 0 : delta.row.getSizeInBytes());
  }

  /** Bytes of memory that what was noted takes, about. */
  long notedBytes() {
    return noted;
  }

  /** The first value the group holds, encoded, or null. */
  byte[] first(Group group) {
    prefix(group);
    int length = scratch.length;
    try (RowCursor cursor = table.prefix(group.hash(), scratch.bytes, length)) {
      if (!table.read(cursor)) {
        return null;
      }
      Slice key = cursor.key();
      return Arrays.copyOfRange(key.bytes, key.offset + length, key.offset + key.length);
    }
  }

  /** All rows of arguments that the group holds, in order; the row is reused. */
  void forEach(Group group, Rows rows) {
    UnsafeRow row = new UnsafeRow(encoding.width());
    ByteReader in = new ByteReader();
    prefix(group);
    try (RowCursor cursor = table.prefix(group.hash(), scratch.bytes, scratch.length)) {
      while (table.read(cursor)) {
        Slice value = cursor.value();
        in.set(value.bytes, value.offset);
        long count = in.getVarLong();
        int at = in.position();
        row.pointTo(
            value.bytes, Platform.BYTE_ARRAY_OFFSET + at, value.length - (at - value.offset));
        rows.accept(row, count);
      }
    }
  }

  StateTable table() {
    return table;
  }

  /** The only argument of an encoded value. */
  Object decode(byte[] value) {
    return encoding.decode(value);
  }

  private void prefix(Group group) {
    scratch.clear();
    group.writePrefix(scratch);
  }

  /** What a barrier does to a value. */
  private static final class Delta {
    private final UnsafeRow row;
    private long count;

    Delta(UnsafeRow row) {
      this.row = row;
    }
  }

  /** A value of a group; groups are compared by identity. */
  private static final class Entry {
    private Group group;
    private byte[] value;
    private int length;
    private int hash;

    void set(Group of, byte[] bytes, int count) {
      group = of;
      value = bytes;
      length = count;
      hash = 31 * of.hash()
          + Murmur3_x86_32.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, count, 0);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Entry entry && group == entry.group
          && Arrays.equals(value, 0, length, entry.value, 0, entry.length);
    }
  }
}
