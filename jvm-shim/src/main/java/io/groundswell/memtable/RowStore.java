package io.groundswell.memtable;

import java.util.Arrays;

/**
 * The rows of a mem-table by number: where key and value lie in the arena, and what is known of the
 * row. A row is one stretch of eight ints, half a cache line.
 */
final class RowStore {
  private static final int KEY_PAGE = 0;
  private static final int KEY_OFFSET = 1;
  private static final int KEY_LENGTH = 2;
  private static final int STATE = 3;
  private static final int VALUE_PAGE = 4;
  private static final int VALUE_OFFSET = 5;
  private static final int VALUE_LENGTH = 6;
  private static final int WIDTH = 8;

  /** Compacting less garbage than this is not worth the copy. */
  private static final long SMALL_GARBAGE = 256 << 10;

  private int[] fields = new int[64 * WIDTH];
  private int size;
  private Arena arena = new Arena();
  private long liveBytes;

  int add(byte[] key, int length) {
    int at = size * WIDTH;
    if (at == fields.length) {
      fields = Arrays.copyOf(fields, fields.length * 2);
    }
    arena.append(key, 0, length);
    fields[at + KEY_PAGE] = arena.page;
    fields[at + KEY_OFFSET] = arena.offset;
    fields[at + KEY_LENGTH] = length;
    liveBytes += length;
    return size++;
  }

  int size() {
    return size;
  }

  int state(int row) {
    return fields[row * WIDTH + STATE];
  }

  void setState(int row, int state) {
    fields[row * WIDTH + STATE] = state;
  }

  byte[] keyBytes(int row) {
    return arena.page(fields[row * WIDTH + KEY_PAGE]);
  }

  int keyOffset(int row) {
    return fields[row * WIDTH + KEY_OFFSET];
  }

  int keyLength(int row) {
    return fields[row * WIDTH + KEY_LENGTH];
  }

  boolean keyEquals(int row, byte[] key, int length) {
    int at = row * WIDTH;
    int offset = fields[at + KEY_OFFSET];
    return fields[at + KEY_LENGTH] == length
        && Arrays.equals(
            arena.page(fields[at + KEY_PAGE]), offset, offset + length, key, 0, length);
  }

  int compareKey(int row, byte[] key, int length) {
    int at = row * WIDTH;
    int offset = fields[at + KEY_OFFSET];
    return Arrays.compareUnsigned(arena.page(fields[at + KEY_PAGE]), offset,
        offset + fields[at + KEY_LENGTH], key, 0, length);
  }

  int compareKeys(int left, int right) {
    int at = right * WIDTH;
    int offset = fields[at + KEY_OFFSET];
    int leftAt = left * WIDTH;
    int leftOffset = fields[leftAt + KEY_OFFSET];
    return Arrays.compareUnsigned(arena.page(fields[leftAt + KEY_PAGE]), leftOffset,
        leftOffset + fields[leftAt + KEY_LENGTH], arena.page(fields[at + KEY_PAGE]), offset,
        offset + fields[at + KEY_LENGTH]);
  }

  /** Reads the ends of a key and its value: what lies between comes along, mostly. */
  int touch(int row) {
    int at = row * WIDTH;
    byte[] key = arena.page(fields[at + KEY_PAGE]);
    int keyAt = fields[at + KEY_OFFSET];
    int sum = key[keyAt] + key[keyAt + fields[at + KEY_LENGTH] - 1];
    int length = fields[at + VALUE_LENGTH];
    if (length > 0) {
      byte[] value = arena.page(fields[at + VALUE_PAGE]);
      int valueAt = fields[at + VALUE_OFFSET];
      sum += value[valueAt + length / 2] + value[valueAt + length - 1];
    }
    return sum;
  }

  byte[] valueBytes(int row) {
    return arena.page(fields[row * WIDTH + VALUE_PAGE]);
  }

  int valueOffset(int row) {
    return fields[row * WIDTH + VALUE_OFFSET];
  }

  int valueLength(int row) {
    return fields[row * WIDTH + VALUE_LENGTH];
  }

  void setValue(int row, byte[] value, int from, int length) {
    int at = row * WIDTH;
    liveBytes += length - fields[at + VALUE_LENGTH];
    arena.append(value, from, length);
    fields[at + VALUE_PAGE] = arena.page;
    fields[at + VALUE_OFFSET] = arena.offset;
    fields[at + VALUE_LENGTH] = length;
    long garbage = arena.allocatedBytes() - liveBytes;
    if (garbage > SMALL_GARBAGE && garbage > arena.allocatedBytes() / 2) {
      dropGarbage();
    }
  }

  void clearValue(int row) {
    liveBytes -= fields[row * WIDTH + VALUE_LENGTH];
    fields[row * WIDTH + VALUE_LENGTH] = 0;
  }

  long memoryBytes() {
    return arena.allocatedBytes() + 4L * fields.length;
  }

  /** Row numbers stay; pages that readers still hold stay with them. */
  private void dropGarbage() {
    Arena fresh = new Arena();
    for (int at = 0; at < size * WIDTH; at += WIDTH) {
      fresh.append(
          arena.page(fields[at + KEY_PAGE]), fields[at + KEY_OFFSET], fields[at + KEY_LENGTH]);
      fields[at + KEY_PAGE] = fresh.page;
      fields[at + KEY_OFFSET] = fresh.offset;
      if (fields[at + VALUE_LENGTH] > 0) {
        fresh.append(arena.page(fields[at + VALUE_PAGE]), fields[at + VALUE_OFFSET],
            fields[at + VALUE_LENGTH]);
        fields[at + VALUE_PAGE] = fresh.page;
        fields[at + VALUE_OFFSET] = fresh.offset;
      } else {
        fields[at + VALUE_PAGE] = fields[at + KEY_PAGE];
        fields[at + VALUE_OFFSET] = 0;
      }
    }
    arena = fresh;
  }
}
