package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowMap;

/** What a barrier changed under one join key. */
final class JoinChanges extends RowMap.Entry {
  private static final ChangeBuffer NONE = new ChangeBuffer();
  private ChangeBuffer left = NONE;
  private ChangeBuffer right = NONE;

  ChangeBuffer left() {
    return left;
  }

  ChangeBuffer right() {
    return right;
  }

  /** The changes of a side, to add to. */
  ChangeBuffer side(boolean isLeft) {
    if (isLeft) {
      left = left == NONE ? new ChangeBuffer() : left;
      return left;
    }
    right = right == NONE ? new ChangeBuffer() : right;
    return right;
  }

  /** The new rows of a side whose input is append-only, to add to. */
  ChangeBuffer inserts(boolean isLeft) {
    if (isLeft) {
      left = left == NONE ? ChangeBuffer.ofInserts() : left;
      return left;
    }
    right = right == NONE ? ChangeBuffer.ofInserts() : right;
    return right;
  }

  /** Refuses changes that name a stream key twice. */
  void check(String state, RowKeys joinKeys) {
    if (!left.isKeyed() || !right.isKeyed()) {
      throw RowKeys.inconsistent("join \"" + state
          + "\": a stream key changed twice in a barrier, under the join key "
          + joinKeys.text(key()));
    }
  }
}
