package io.groundswell.spark.views.operator.spi;

/**
 * What one operator does to one partition in one barrier. Not thread-safe: one task, one object.
 */
public final class OperatorCounters {
  /** All levels are settled. */
  public static final long NO_LEVEL = Long.MAX_VALUE;

  /** Rows taken from the inputs. */
  public long rowsIn;

  /** Rows given: the net changes. */
  public long rowsOut;

  /** Rows looked up or scanned in the state, found or not: O(changes), never O(table). */
  public long stateReads;

  /** Rows put into or deleted from the state. */
  public long stateWrites;

  /** Rows of the state that stand in bundles, of which the engine counts one entry each. */
  public long bundledRows;

  /** Changes that contradicted the table and were made to fit it, where that was asked for. */
  public long contradictions;

  /** Of a recursion: the lowest level that some later run has to settle. */
  public long nextLevel = NO_LEVEL;

  /** What it is at work on. */
  public final ErrorContext atHand = new ErrorContext();
}
