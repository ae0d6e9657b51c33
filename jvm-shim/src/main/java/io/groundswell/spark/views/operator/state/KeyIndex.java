package io.groundswell.spark.views.operator.state;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Keys of one run, each once, numbered in the order in which they came. Their bytes lie side by
 * side in pages, and a look-up compares hashes first, so it touches little memory. Open addressing,
 * at most half full. Not thread-safe.
 */
public final class KeyIndex {
  private static final int PAGE = 1 << 16;

  /** Bytes of a key beside its own. */
  private static final int KEY_OVERHEAD = 48;

  private int[] slots = new int[256]; // number + 1; 0: free
  private int[] hashes = new int[128];
  private byte[][] pages = new byte[128][]; // by number: the page that has the key
  private int[] offsets = new int[128];
  private int[] lengths = new int[128];
  private byte[] page = new byte[1 << 10];
  private int used;
  private long keyBytes;
  private int count;

  /** The number of a key, or -1. */
  public int find(int hash, UnsafeRow key) {
    int mask = slots.length - 1;
    for (int slot = spread(hash) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
      int number = slots[slot] - 1;
      if (hashes[number] == hash && has(number, key)) {
        return number;
      }
    }
    return -1;
  }

  /** Whether the key has that number. */
  public boolean has(int number, UnsafeRow key) {
    int length = key.getSizeInBytes();
    int offset = StateTable.offset(key);
    int from = offsets[number];
    return lengths[number] == length
        && Arrays.equals(
            pages[number], from, from + length, StateTable.bytes(key), offset, offset + length);
  }

  public int hash(int number) {
    return hashes[number];
  }

  /** Points at the bytes of a key, which stay where they are. */
  public void point(int number, UnsafeRow key) {
    key.pointTo(pages[number], Platform.BYTE_ARRAY_OFFSET + offsets[number], lengths[number]);
  }

  public int size() {
    return count;
  }

  /** Bytes of memory that all keys take, about. */
  public long bytes() {
    return keyBytes + (long) count * KEY_OVERHEAD;
  }

  /** Adds a key that is not there; gives its number. */
  public int add(int hash, UnsafeRow key) {
    int length = key.getSizeInBytes();
    if (count == hashes.length) {
      grow();
    }
    if (used + length > page.length) {
      page = new byte[Math.max(length, Math.min(PAGE, 2 * page.length))];
      used = 0;
    }
    System.arraycopy(StateTable.bytes(key), StateTable.offset(key), page, used, length);
    hashes[count] = hash;
    pages[count] = page;
    offsets[count] = used;
    lengths[count] = length;
    used += length;
    keyBytes += length;
    place(count);
    return count++;
  }

  private void grow() {
    hashes = Arrays.copyOf(hashes, 2 * count);
    pages = Arrays.copyOf(pages, 2 * count);
    offsets = Arrays.copyOf(offsets, 2 * count);
    lengths = Arrays.copyOf(lengths, 2 * count);
    slots = new int[4 * count];
    for (int number = 0; number < count; number++) {
      place(number);
    }
  }

  private void place(int number) {
    int mask = slots.length - 1;
    int slot = spread(hashes[number]) & mask;
    while (slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = number + 1;
  }

  /** Keys of one partition have hashes that differ by multiples of the number of partitions. */
  private static int spread(int hash) {
    int mixed = hash * 0x9E3779B9;
    return mixed ^ (mixed >>> 15);
  }
}
