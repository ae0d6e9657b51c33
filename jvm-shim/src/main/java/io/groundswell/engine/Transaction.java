package io.groundswell.engine;

import io.groundswell.checkpoint.Destination;
import io.groundswell.key.TableSpec;
import java.util.Collection;

/**
 * One batch on top of one version. Reads see the batch's own writes. Not thread-safe, but may be
 * handed from thread to thread. All byte arrays are copied. Rows that its open cursors have yet to
 * show are not disturbed by its writes.
 */
public interface Transaction extends Reader, AutoCloseable {
  long baseVersion();

  /** The id of the base; null for version 0. */
  String baseId();

  Collection<TableSpec> tables();

  TableSpec table(String name);

  /** The table of that name, made if absent; another layout for a known name is an error. */
  TableSpec createTable(String name, TableSpec.Layout layout, boolean counted);

  /** Drops a table with all its rows, without writing a tombstone a row; false if unknown. */
  boolean dropTable(String name);

  void put(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, byte[] value,
      int valueOffset, int valueLength);

  /**
   * Rows as {@link #prefix} finds them, where the caller knows that the batch has written none of
   * them so far: what it wrote is not looked through.
   */
  RowCursor prefixBefore(TableSpec table, int hash, byte[] prefix, int offset, int length);

  /**
   * The put of a key that has no live row, as the caller knows: nobody looks whether it has, so
   * {@link #count} is wrong if it had.
   */
  void insert(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, byte[] value,
      int valueOffset, int valueLength);

  /** The same of a key that has a live row. */
  void replace(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, byte[] value,
      int valueOffset, int valueLength);

  void delete(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength);

  /** The delete of a key that has a live row, as the caller knows. */
  void remove(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength);

  /**
   * Declares rows of the table dead whose user key is below the bound, as unsigned bytes. Reads of
   * this batch and of versions from its own on do not show them, puts and deletes of such keys are
   * left out, merges drop them, files that hold no others go unread. Costs no tombstone and no
   * scan;
   * {@link #count} goes on counting dead rows that were not deleted before. Versions below keep
   * their own watermarks.
   *
   * @return false if the watermark stands there or higher already: it never moves back
   */
  boolean watermark(TableSpec table, byte[] userKeyBound);

  /**
   * Whether what gets find is remembered for the puts that follow, as at first. False is cheaper
   * for a batch that only reads, and right for any.
   */
  void learnFromReads(boolean learn);

  /**
   * Number of live keys of a counted table, own writes included; exact for a table without a
   * watermark, else keys below that are included unless they were deleted before it passed them.
   */
  long count(TableSpec table);

  /** Bytes held in memory by this batch. */
  long memoryBytes();

  /** Commits the batch to where its store says; visible as a whole or not at all. */
  default Commit commit() {
    return commit(null);
  }

  /**
   * Commits the batch; visible as a whole or not at all.
   *
   * @param to where the commit goes; null: to where its store says
   */
  Commit commit(Destination to);

  /** Forgets the batch; does nothing when committed or aborted before. */
  void abort();

  /**
   * What a commit made. {@code id} is unique among all attempts at this version, {@code stateBytes}
   * what the version's rows take in storage, older ones that no merge has dropped yet included.
   */
  record Commit(long version, String id, String baseId, long bytesWritten, int rowsWritten,
      long stateBytes) {}

  /** Aborts unless committed. */
  @Override void close();
}
