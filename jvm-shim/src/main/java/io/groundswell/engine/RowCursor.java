package io.groundswell.engine;

/**
 * Rows of one scan, newest visible version each, deletes hidden. Not thread-safe. A cursor of a
 * transaction shows the state at its creation: later writes do not disturb it.
 */
public abstract class RowCursor implements AutoCloseable {
  /** Steps to the next row; false at the end. */
  public abstract boolean next();

  /** The user key, without table, hash and epoch; valid until the next step. */
  public abstract Slice key();

  public abstract int hash();

  /** The value; points into immutable bytes that stay valid after the cursor moved on. */
  public abstract Slice value();

  /** The epoch that wrote this version. */
  public abstract long epoch();

  @Override public abstract void close();
}
