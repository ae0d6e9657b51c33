package io.groundswell.spark.operator;

/** What one operator did to one partition in one barrier. Not thread-safe: one task, one object. */
public final class OperatorCounters {
  /** Rows taken from the inputs. */
  public long rowsIn;

  /** Rows given: the net changes. */
  public long rowsOut;

  /** Rows looked up or scanned in the state, found or not: O(changes), never O(table). */
  public long stateReads;

  /** Rows put into or deleted from the state. */
  public long stateWrites;
}
