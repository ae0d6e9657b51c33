package io.groundswell.spark.views.operator.view;

import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** A view's rows by the hash of their stream keys, written without a look at what is there. */
record KeyedView(StateTable rows, RowKeys keys) implements ViewStore {
  @Override
  public boolean insert(UnsafeRow key, UnsafeRow row) {
    rows.insert(keys.hash(key), key, row);
    return true;
  }

  @Override
  public boolean replace(UnsafeRow key, UnsafeRow row) {
    rows.replace(keys.hash(key), key, row);
    return true;
  }

  @Override
  public boolean remove(UnsafeRow key) {
    rows.remove(keys.hash(key), key);
    return true;
  }
}
