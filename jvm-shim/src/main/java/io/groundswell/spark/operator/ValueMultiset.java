package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * How often each group holds each value of one argument: what min, max and distinct calls need to
 * survive retraction.
 *
 * <p>Table, by the hash of the group: length of the group's key (4 bytes) | the group's key | the
 * value in its order, largest first if {@code descending} → count. So the values of a group stand
 * together, in order. A barrier's changes are summed in memory and touch the table only at (group,
 * value).
 */
final class ValueMultiset {
  /** A group as the multiset sees it. */
  interface Group {
    UnsafeRow key();

    int hash();
  }

  /** Told about values that a group holds for the first, or not any more. */
  interface Listener<G extends Group> {
    void changed(G group, byte[] value, boolean appeared);
  }

  private final StateTable table;
  private final ValueCodec codec;
  private final boolean descending;
  private final ByteWriter scratch = new ByteWriter();
  private final Map<Entry, long[]> changes = new LinkedHashMap<>();

  ValueMultiset(StateTable table, ValueCodec codec, boolean descending) {
    this.table = table;
    this.codec = codec;
    this.descending = descending;
  }

  /** Notes that the group gets or loses a value that is not null. */
  void add(Group group, InternalRow row, int ordinal, int weight) {
    scratch.clear();
    codec.write(row, ordinal, scratch);
    if (descending) {
      scratch.invert(0);
    }
    changes.computeIfAbsent(new Entry(group, scratch.copy(0)), e -> new long[1])[0] += weight;
  }

  /** Writes what was noted. */
  <G extends Group> void apply(Class<G> groups, Listener<G> listener) {
    ByteReader in = new ByteReader();
    ByteWriter out = new ByteWriter();
    for (Map.Entry<Entry, long[]> change : changes.entrySet()) {
      long delta = change.getValue()[0];
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
      if (now < 0) {
        throw RowKeys.inconsistent("aggregate: the value " + decode(codec, descending, entry.value)
            + " is taken away " + -delta + " times from a group that holds it " + old + " times");
      }
      if (now == 0) {
        table.delete(hash, scratch.bytes, scratch.length);
      } else {
        out.clear();
        out.putVarLong(now);
        table.put(hash, scratch.bytes, scratch.length, out.bytes, out.length);
      }
      if (old == 0 || now == 0) {
        listener.changed(groups.cast(entry.group), entry.value, old == 0);
      }
    }
    changes.clear();
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

  Object decode(byte[] value) {
    return decode(codec, descending, value);
  }

  static Object decode(ValueCodec codec, boolean descending, byte[] value) {
    ByteWriter ascending = new ByteWriter();
    ascending.putBytes(value, 0, value.length);
    if (descending) {
      ascending.invert(0);
    }
    ByteReader in = new ByteReader();
    in.set(ascending.bytes, 0);
    return codec.read(in);
  }

  private void prefix(Group group) {
    UnsafeRow key = group.key();
    scratch.clear();
    scratch.putInt(key.getSizeInBytes());
    scratch.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }

  /** A value of a group; groups are compared by identity. */
  private static final class Entry {
    private final Group group;
    private final byte[] value;
    private final int hash;

    Entry(Group group, byte[] value) {
      this.group = group;
      this.value = value;
      this.hash = 31 * group.hash() + Arrays.hashCode(value);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Entry entry && group == entry.group
          && Arrays.equals(value, entry.value);
    }
  }
}
