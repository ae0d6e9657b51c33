package io.groundswell.spark.views.operator.state;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.array.ByteArrayMethods;

/**
 * Entries by the bytes of their key, in the order in which they came. An entry holds its key and
 * its hash itself, so that it is one object and an array: a barrier may collect millions of them,
 * and a garbage collector pays by the object. Few are found by looking at each, more by open
 * addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4, algorithm L). A
 * slot has the hash beside the position: an entry is only looked at if its hash is the one sought,
 * and none is when the slots grow. Of a large map each look at an entry is a few cache misses.
 */
public final class RowMap<E extends RowMap.Entry> implements Iterable<E> {
  /** What has a key. An entry is in one map at most. */
  public abstract static class Entry {
    private byte[] key;
    private int hash;
    private int width;

    /** The key: a row that nobody else holds, over the entry's own bytes. */
    public final UnsafeRow key() {
      return rowOf(key, width);
    }
  }

  /** Bytes that an entry takes beside its own fields and the bytes of its key, about. */
  public static final int ENTRY_OVERHEAD = 52;

  /** So many are looked through one by one. */
  private static final int FEW = 6;

  private static final Entry[] NONE = {};

  private Entry[] entries = NONE;
  private long[] slots; // null: few; else hash, 1 + position of the entry; a power of two long
  private int size;

  /** The entry under a key, or null. */
  public E get(UnsafeRow key) {
    return size == 0 ? null : find(key, key.hashCode());
  }

  /** The entry under a key; if there is none, that of {@code made}, with a copy of the key. */
  public E getOrAdd(UnsafeRow key, Supplier<E> made) {
    int hash = key.hashCode();
    E found = find(key, hash);
    if (found != null) {
      return found;
    }
    E added = made.get();
    Entry entry = added;
    entry.key = bytesOf(key);
    entry.hash = hash;
    entry.width = key.numFields();
    append(entry);
    return added;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Lets go of all entries. */
  public void clear() {
    entries = NONE;
    slots = null;
    size = 0;
  }

  /** In the order in which they came. The map must not change meanwhile. */
  @Override
  public Iterator<E> iterator() {
    return new Iterator<>() {
      private int next;

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      @SuppressWarnings("unchecked")
      public E next() {
        if (next >= size) {
          throw new NoSuchElementException();
        }
        return (E) entries[next++];
      }
    };
  }

  /** The bytes of a row, as an array of their own. */
  static byte[] bytesOf(UnsafeRow row) {
    byte[] bytes = new byte[row.getSizeInBytes()];
    Platform.copyMemory(
        row.getBaseObject(), row.getBaseOffset(), bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
    return bytes;
  }

  /** A row over bytes; null of null. */
  static UnsafeRow rowOf(byte[] bytes, int width) {
    if (bytes == null) {
      return null;
    }
    UnsafeRow row = new UnsafeRow(width);
    row.pointTo(bytes, bytes.length);
    return row;
  }

  /** Whether these are the bytes of a row; null is no row's. */
  static boolean equal(byte[] bytes, UnsafeRow row) {
    return bytes != null && bytes.length == row.getSizeInBytes()
        && ByteArrayMethods.arrayEquals(bytes, Platform.BYTE_ARRAY_OFFSET, row.getBaseObject(),
            row.getBaseOffset(), bytes.length);
  }

  @SuppressWarnings("unchecked")
  private E find(UnsafeRow key, int hash) {
    if (slots == null) {
      for (int at = 0; at < size; at++) {
        Entry entry = entries[at];
        if (entry.hash == hash && equal(entry.key, key)) {
          return (E) entry;
        }
      }
      return null;
    }
    int mask = slots.length - 1;
    int slot = start(hash) & mask;
    for (long held = slots[slot]; held != 0; held = slots[slot = slot + 1 & mask]) {
      if ((int) (held >>> 32) == hash && equal(entries[(int) held - 1].key, key)) {
        return (E) entries[(int) held - 1];
      }
    }
    return null;
  }

  private void append(Entry entry) {
    if (size == entries.length) {
      entries = Arrays.copyOf(entries, size < 4 ? 2 * size + 1 : size + (size >> 1));
    }
    entries[size++] = entry;
    if (slots == null) {
      if (size > FEW) {
        slots = new long[4 * Integer.highestOneBit(size)];
        for (int at = 0; at < size; at++) {
          occupy(held(entries[at].hash, at + 1));
        }
      }
      return;
    }
    if (2 * size > slots.length) {
      long[] before = slots;
      slots = new long[2 * before.length];
      for (long held : before) {
        if (held != 0) {
          occupy(held);
        }
      }
    }
    occupy(held(entry.hash, size));
  }

  private static long held(int hash, int number) {
    return (long) hash << 32 | number;
  }

  private void occupy(long held) {
    int mask = slots.length - 1;
    int slot = start((int) (held >>> 32)) & mask;
    while (slots[slot] != 0) {
      slot = slot + 1 & mask;
    }
    slots[slot] = held;
  }

  private static int start(int hash) {
    return hash ^ hash >>> 16;
  }
}
