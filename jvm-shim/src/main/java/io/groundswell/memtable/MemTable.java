package io.groundswell.memtable;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The writes of one batch: a hash table for get-then-put of the same key, and an order per table
 * that is kept only as far as scans ask for it. Keys are stems: internal keys without the epoch.
 *
 * <p>A row also remembers whether its key is live in the base version, once somebody looked. That
 * makes live-key counts exact and lets the delete of a key that is nowhere below leave nothing.
 *
 * <p>Not thread-safe.
 */
public final class MemTable {
  /** What the batch itself did to a row. */
  public static final int NOTHING = 0;

  public static final int PUT = 1;
  public static final int DELETE = 2;

  /** What is known of the row's key in the base version. */
  public static final int UNKNOWN = 0;

  public static final int ABSENT = 1;
  public static final int PRESENT = 2;

  private static final int OWN_MASK = 3;
  private static final int BASE_SHIFT = 2;
  private static final int BASE_MASK = 3 << BASE_SHIFT;
  private static final int LISTED = 1 << 4;

  private final long epoch;
  private final RowStore store = new RowStore();
  private final UndoLog undo = new UndoLog();
  private TableRows[] tables = new TableRows[8];

  /** Hash in the high half, row number + 1 in the low; 0 is free. */
  private long[] slots = new long[64];

  private int missedHash;
  private int missedSlot;

  public MemTable(long epoch) {
    this.epoch = epoch;
  }

  /** The row of that key, or -1. */
  public int find(byte[] stem, int length) {
    int hash = RowHash.of(stem, length);
    long tag = (long) hash << 32;
    long[] table = slots;
    int mask = table.length - 1;
    int slot = hash & mask;
    for (long entry = table[slot]; entry != 0; entry = table[slot = (slot + 1) & mask]) {
      if ((entry & 0xFFFFFFFF00000000L) == tag) {
        int row = (int) entry - 1;
        if (store.keyEquals(row, stem, length)) {
          return row;
        }
      }
    }
    missedHash = hash;
    missedSlot = slot;
    return -1;
  }

  /** Adds the key that the last {@link #find} did not find; nothing is known of it yet. */
  public int add(byte[] stem, int length) {
    int row = store.add(stem, length);
    slots[missedSlot] = (long) missedHash << 32 | (row + 1);
    if (store.size() > slots.length / 2) {
      grow();
    }
    return row;
  }

  /** {@link #NOTHING}, {@link #PUT} or {@link #DELETE}. */
  public int own(int row) {
    return store.state(row) & OWN_MASK;
  }

  /** {@link #UNKNOWN}, {@link #ABSENT} or {@link #PRESENT}. */
  public int base(int row) {
    return (store.state(row) & BASE_MASK) >>> BASE_SHIFT;
  }

  public void learn(int row, boolean present) {
    int known = present ? PRESENT : ABSENT;
    store.setState(row, store.state(row) & ~BASE_MASK | known << BASE_SHIFT);
  }

  public void put(int row, byte[] value, int offset, int length) {
    TableRows table = changing(row);
    if (!live(row)) {
      table.liveDelta++;
    }
    store.setValue(row, value, offset, length);
    setOwn(row, PUT, table);
  }

  public void delete(int row) {
    TableRows table = changing(row);
    if (live(row)) {
      table.liveDelta--;
    }
    store.clearValue(row);
    setOwn(row, base(row) == ABSENT ? NOTHING : DELETE, table);
  }

  public byte[] valueBytes(int row) {
    return store.valueBytes(row);
  }

  public int valueOffset(int row) {
    return store.valueOffset(row);
  }

  public int valueLength(int row) {
    return store.valueLength(row);
  }

  /** How many more keys of the table are live than in the base, if all bases are known. */
  public long liveDelta(int tableId) {
    TableRows table = tableId < tables.length ? tables[tableId] : null;
    return table == null ? 0 : table.liveDelta;
  }

  /**
   * The table's puts and deletes in key order, as they are now: later changes do not show. Close it
   * or the mem-table keeps old values for it.
   */
  public MemTableCursor cursor(int tableId) {
    TableRows table = tableId < tables.length ? tables[tableId] : null;
    return table == null || table.size() == 0 ? null : new MemTableCursor(this, table, false);
  }

  /** As {@link #cursor}, for who reads all rows: they are brought near before they are read. */
  public MemTableCursor all(int tableId) {
    TableRows table = tableId < tables.length ? tables[tableId] : null;
    return table == null || table.size() == 0 ? null : new MemTableCursor(this, table, true);
  }

  /** Ids of tables with rows, ascending. */
  public int[] tableIds() {
    return IntStream.range(0, tables.length).filter(id -> tables[id] != null).toArray();
  }

  /** Forgets a table's rows; its id is never written again. */
  public void drop(int tableId) {
    TableRows table = tableId < tables.length ? tables[tableId] : null;
    if (table != null) {
      for (int i = 0; i < table.size(); i++) {
        undo.beforeChange(store, table.rowAt(i), own(table.rowAt(i)));
        store.clearValue(table.rowAt(i));
      }
      tables[tableId] = null;
    }
  }

  /** Number of puts and deletes that a commit would write. */
  public int writtenRows() {
    int rows = 0;
    for (TableRows table : tables) {
      for (int i = 0; table != null && i < table.size(); i++) {
        rows += own(table.rowAt(i)) == NOTHING ? 0 : 1;
      }
    }
    return rows;
  }

  /** Keys held, with or without a write. */
  public int size() {
    return store.size();
  }

  public long memoryBytes() {
    long bytes = store.memoryBytes() + 8L * slots.length + undo.memoryBytes();
    for (TableRows table : tables) {
      bytes += table == null ? 0 : table.memoryBytes();
    }
    return bytes;
  }

  long epoch() {
    return epoch;
  }

  RowStore store() {
    return store;
  }

  UndoLog undo() {
    return undo;
  }

  private boolean live(int row) {
    int own = own(row);
    return own == PUT || (own == NOTHING && base(row) == PRESENT);
  }

  private TableRows changing(int row) {
    undo.beforeChange(store, row, own(row));
    byte[] key = store.keyBytes(row);
    int at = store.keyOffset(row);
    int id = (key[at] & 0xFF) << 8 | (key[at + 1] & 0xFF);
    if (id >= tables.length) {
      tables = Arrays.copyOf(tables, Math.max(id + 1, tables.length * 2));
    }
    TableRows table = tables[id];
    if (table == null) {
      table = tables[id] = new TableRows(id, store);
    }
    return table;
  }

  private void setOwn(int row, int own, TableRows table) {
    int state = store.state(row);
    if (own != NOTHING && (state & LISTED) == 0) {
      table.append(row);
      state |= LISTED;
    }
    store.setState(row, state & ~OWN_MASK | own);
  }

  private void grow() {
    long[] bigger = new long[slots.length * 4];
    int mask = bigger.length - 1;
    for (long entry : slots) {
      if (entry != 0) {
        int slot = (int) (entry >>> 32) & mask;
        while (bigger[slot] != 0) {
          slot = (slot + 1) & mask;
        }
        bigger[slot] = entry;
      }
    }
    slots = bigger;
  }
}
