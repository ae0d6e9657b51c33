package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/** One table of the state within one barrier; counts what is read and written. */
public final class StateTable {
  private final Transaction tx;
  private final TableSpec table;
  private final OperatorCounters counters;
  private final Slice slice = new Slice();

  private StateTable(Transaction tx, TableSpec table, OperatorCounters counters) {
    this.tx = tx;
    this.table = table;
    this.counters = counters;
  }

  /** A table read by key or by a bound prefix; counted: its rows are state rows. */
  public static StateTable hashed(Transaction tx, String name, OperatorCounters counters) {
    return open(tx, name, TableSpec.Layout.HASHED, true, counters);
  }

  /** A table read by a bound prefix, whose entries are not what its rows are. */
  public static StateTable bundled(Transaction tx, String name, OperatorCounters counters) {
    return open(tx, name, TableSpec.Layout.HASHED, false, counters);
  }

  /** A table read in the order of its keys. */
  public static StateTable ordered(
      Transaction tx, String name, boolean counted, OperatorCounters counters) {
    return open(tx, name, TableSpec.Layout.ORDERED, counted, counters);
  }

  private static StateTable open(Transaction tx, String name, TableSpec.Layout layout,
      boolean counted, OperatorCounters counters) {
    return new StateTable(tx, tx.createTable(name, layout, counted), counters);
  }

  /** The value under a key, or null; reused by the next call, its bytes are not. */
  public Slice get(int hash, byte[] key, int length) {
    counters.stateReads++;
    return tx.get(table, hash, key, 0, length, slice) ? slice : null;
  }

  public Slice get(int hash, UnsafeRow key) {
    counters.stateReads++;
    boolean found = tx.get(table, hash, bytes(key), offset(key), key.getSizeInBytes(), slice);
    return found ? slice : null;
  }

  /** Points {@code out} at the row under a key; false if there is none. */
  public boolean get(int hash, UnsafeRow key, UnsafeRow out) {
    Slice found = get(hash, key);
    if (found != null) {
      point(out, found);
    }
    return found != null;
  }

  public void put(int hash, byte[] key, int length, UnsafeRow row) {
    counters.stateWrites++;
    tx.put(table, hash, key, 0, length, bytes(row), offset(row), row.getSizeInBytes());
  }

  public void put(int hash, byte[] key, int length, byte[] value, int valueLength) {
    counters.stateWrites++;
    tx.put(table, hash, key, 0, length, value, 0, valueLength);
  }

  public void put(int hash, UnsafeRow key, UnsafeRow row) {
    put(hash, key, bytes(row), offset(row), row.getSizeInBytes());
  }

  public void put(int hash, UnsafeRow key, byte[] value, int valueOffset, int valueLength) {
    counters.stateWrites++;
    tx.put(table, hash, bytes(key), offset(key), key.getSizeInBytes(), value, valueOffset,
        valueLength);
  }

  /** The put of a key that is known to have no row: nothing is read for it. */
  public void insert(
      int hash, byte[] key, int length, byte[] value, int valueOffset, int valueLength) {
    counters.stateWrites++;
    tx.insert(table, hash, key, 0, length, value, valueOffset, valueLength);
  }

  public void insert(int hash, UnsafeRow key, UnsafeRow row) {
    counters.stateWrites++;
    tx.insert(table, hash, bytes(key), offset(key), key.getSizeInBytes(), bytes(row), offset(row),
        row.getSizeInBytes());
  }

  /** The put of a key that is known to have a row: nothing is read for it. */
  public void replace(
      int hash, byte[] key, int length, byte[] value, int valueOffset, int valueLength) {
    counters.stateWrites++;
    tx.replace(table, hash, key, 0, length, value, valueOffset, valueLength);
  }

  public void replace(
      int hash, byte[] key, int keyOffset, int keyLength, byte[] value, int valueLength) {
    counters.stateWrites++;
    tx.replace(table, hash, key, keyOffset, keyLength, value, 0, valueLength);
  }

  public void replace(int hash, UnsafeRow key, UnsafeRow row) {
    counters.stateWrites++;
    tx.replace(table, hash, bytes(key), offset(key), key.getSizeInBytes(), bytes(row), offset(row),
        row.getSizeInBytes());
  }

  /** The delete of a key that is known to have a row. */
  public void remove(int hash, byte[] key, int length) {
    counters.stateWrites++;
    tx.remove(table, hash, key, 0, length);
  }

  public void remove(int hash, UnsafeRow key) {
    counters.stateWrites++;
    tx.remove(table, hash, bytes(key), offset(key), key.getSizeInBytes());
  }

  public void delete(int hash, byte[] key, int length) {
    counters.stateWrites++;
    tx.delete(table, hash, key, 0, length);
  }

  public void delete(int hash, UnsafeRow key) {
    counters.stateWrites++;
    tx.delete(table, hash, bytes(key), offset(key), key.getSizeInBytes());
  }

  /** Ends the rows whose keys are below the bound; false if they are ended already. */
  public boolean watermark(byte[] bound) {
    return tx.watermark(table, bound);
  }

  /** Every step is to be counted by {@link #read}. */
  public RowCursor prefix(int hash, byte[] prefix, int length) {
    return tx.prefix(table, hash, prefix, 0, length);
  }

  /** As {@link #prefix}, where the barrier has written none of these rows so far. */
  public RowCursor prefixBefore(int hash, byte[] prefix, int length) {
    return tx.prefixBefore(table, hash, prefix, 0, length);
  }

  /** Of the rows with the prefix {@code from[0, prefixLength)} those from this key on. */
  public RowCursor prefixFrom(int hash, byte[] from, int length, int prefixLength) {
    return tx.prefixFrom(table, hash, from, length, prefixLength);
  }

  /** All rows, in key order if the table is ordered. */
  public RowCursor scan() {
    return tx.scan(table);
  }

  /** Steps a cursor; counts the row read. */
  public boolean read(RowCursor cursor) {
    if (cursor.next()) {
      counters.stateReads++;
      return true;
    }
    return false;
  }

  public static void point(UnsafeRow row, Slice at) {
    row.pointTo(at.bytes, Platform.BYTE_ARRAY_OFFSET + at.offset, at.length);
  }

  public static byte[] bytes(UnsafeRow row) {
    return (byte[]) row.getBaseObject();
  }

  public static int offset(UnsafeRow row) {
    return (int) (row.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
  }
}
