package io.groundswell.engine;

import io.groundswell.key.TableSpec;

/**
 * Reads of one database state. The partition hash must be the one the row was written with: it is
 * the hash of the columns that reads bind, so one filter serves gets and prefix scans.
 */
public interface Reader {
  /** Finds a key; on a hit {@code out} points into immutable bytes that stay valid for ever. */
  boolean get(TableSpec table, int hash, byte[] key, int offset, int length, Slice out);

  /**
   * All rows of a {@code HASHED} table with this hash and key prefix, or of an {@code ORDERED}
   * table with this key prefix (the hash is then not looked at), in key order.
   */
  RowCursor prefix(TableSpec table, int hash, byte[] prefix, int offset, int length);

  /**
   * Of the rows with the prefix {@code from[0, prefixLength)} those whose key is {@code from[0,
   * length)} or larger.
   */
  RowCursor prefixFrom(TableSpec table, int hash, byte[] from, int length, int prefixLength);

  /** Rows of an {@code ORDERED} table with lower &lt;= key &lt; upper; null leaves a side open. */
  RowCursor range(TableSpec table, byte[] lower, byte[] upper);

  /** Rows of a {@code HASHED} table whose hash begins with this byte. */
  RowCursor hashed(TableSpec table, int firstByte);

  /** Every row of the table: in key order if {@code ORDERED}, else in no order one may rely on. */
  RowCursor scan(TableSpec table);
}
