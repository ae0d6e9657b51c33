package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.views.operator.codec.ByteWriter;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * What a barrier does to the values that groups hold: by group and value, a change of each of so
 * many counts. An open-addressing table, for most rows bring a value that is there already; slots
 * are numbered as they come.
 */
final class DistinctChanges {
  private static final int FIRST = 256;

  /** Bytes of a slot beside its value and its counts. */
  private static final int OVERHEAD = 32;

  private final int width;
  private final ByteWriter values = new ByteWriter();
  private int[] index = new int[2 * FIRST]; // slot + 1; 0: free; at most half are in use
  private int[] hashes = new int[FIRST];
  private int[] ends = new int[FIRST]; // of a slot's value
  private ValueMultiset.Group[] groups = new ValueMultiset.Group[FIRST];
  private long[] changes;
  private int size;

  /**
   * @param width counts of a value
   */
  DistinctChanges(int width) {
    this.width = width;
    this.changes = new long[width * FIRST];
  }

  /** The slot of a value; groups are compared by identity. */
  int slot(ValueMultiset.Group group, byte[] bytes, int length) {
    int hash =
        Murmur3_x86_32.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, length, group.hash());
    int mask = index.length - 1;
    int at = hash & mask;
    for (int slot = index[at] - 1; slot >= 0; slot = index[at] - 1) {
      if (hashes[slot] == hash && groups[slot] == group
          && Arrays.equals(values.bytes, start(slot), ends[slot], bytes, 0, length)) {
        return slot;
      }
      at = (at + 1) & mask;
    }
    if (2 * size == index.length) {
      grow();
      at = free(hash);
    }
    values.putBytes(bytes, 0, length);
    hashes[size] = hash;
    groups[size] = group;
    ends[size] = values.length;
    index[at] = ++size;
    return size - 1;
  }

  private int free(int hash) {
    int mask = index.length - 1;
    int at = hash & mask;
    while (index[at] != 0) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void grow() {
    hashes = Arrays.copyOf(hashes, 2 * size);
    ends = Arrays.copyOf(ends, 2 * size);
    groups = Arrays.copyOf(groups, 2 * size);
    changes = Arrays.copyOf(changes, 2 * size * width);
    index = new int[4 * size];
    for (int slot = 0; slot < size; slot++) {
      index[free(hashes[slot])] = slot + 1;
    }
  }

  void add(int slot, int count, long change) {
    changes[slot * width + count] += change;
  }

  /** Adds a slot's changes to those of another table. */
  void moveTo(DistinctChanges other, int slot) {
    byte[] value = value(slot);
    int there = other.slot(groups[slot], value, value.length);
    for (int i = 0; i < width; i++) {
      other.add(there, i, change(slot, i));
    }
  }

  long change(int slot, int count) {
    return changes[slot * width + count];
  }

  /** What came went again. */
  boolean isNothing(int slot) {
    for (int i = slot * width; i < (slot + 1) * width; i++) {
      if (changes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  ValueMultiset.Group group(int slot) {
    return groups[slot];
  }

  /** Of group and value: the same in every barrier. */
  int hash(int slot) {
    return hashes[slot];
  }

  byte[] value(int slot) {
    return Arrays.copyOfRange(values.bytes, start(slot), ends[slot]);
  }

  void writeValue(int slot, ByteWriter out) {
    out.putBytes(values.bytes, start(slot), ends[slot] - start(slot));
  }

  /** Bytes of memory that all take, about. */
  long bytes() {
    return values.length + (long) size * (OVERHEAD + width * Long.BYTES);
  }

  private int start(int slot) {
    return slot == 0 ? 0 : ends[slot - 1];
  }

  /** All slots in the order of their hashes, in which a hashed table holds them. */
  int[] inOrder() {
    long[] sorted = new long[size];
    for (int slot = 0; slot < size; slot++) {
      sorted[slot] = (long) hashes[slot] << Integer.SIZE ^ Long.MIN_VALUE | slot;
    }
    Arrays.sort(sorted);
    return Arrays.stream(sorted).mapToInt(entry -> (int) entry).toArray();
  }
}
