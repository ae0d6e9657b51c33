package io.groundswell.spark.store.provider;

import io.groundswell.spark.shims.SparkErrors;

/** Which calls a store takes when; wrong ones get Spark's STATE_STORE_OPERATION_OUT_OF_ORDER. */
final class Lifecycle {
  enum State { UPDATING, COMMITTED, ABORTED, RELEASED }

  private final String store;

  /** Tasks commit from another thread than the one that Python's state server writes from. */
  private volatile State state = State.UPDATING;

  Lifecycle(String store) {
    this.store = store;
  }

  State state() {
    return state;
  }

  boolean isOpen() {
    return state == State.UPDATING;
  }

  /** For reads and writes. */
  void requireOpen() {
    if (state != State.UPDATING) {
      throw outOfOrder("read or write", State.UPDATING.name());
    }
  }

  void requireEnded() {
    if (state == State.UPDATING) {
      throw outOfOrder("metrics", "COMMITTED, ABORTED or RELEASED");
    }
  }

  void requireCommitted(String operation) {
    if (state != State.COMMITTED) {
      throw outOfOrder(operation, State.COMMITTED.name());
    }
  }

  void commit() {
    if (state != State.UPDATING) {
      throw outOfOrder("commit", State.UPDATING.name());
    }
    state = State.COMMITTED;
  }

  /** True if this call ended the store; false if it was aborted before. */
  boolean abort() {
    if (state == State.ABORTED) {
      return false;
    } else if (state != State.UPDATING) {
      throw outOfOrder("abort", State.UPDATING.name());
    }
    state = State.ABORTED;
    return true;
  }

  /** True if this call ended the store; false if it was released before. */
  boolean release() {
    if (state == State.RELEASED) {
      return false;
    } else if (state != State.UPDATING) {
      throw outOfOrder("release", State.UPDATING.name());
    }
    state = State.RELEASED;
    return true;
  }

  private RuntimeException outOfOrder(String operation, String wanted) {
    return SparkErrors.outOfOrder(
        "Cannot " + operation + " " + store + ": it is " + state + ", not " + wanted);
  }
}
