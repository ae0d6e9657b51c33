package io.groundswell.spark.views.operator.view;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.BundleCount;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowList;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.Mark;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The rows of a view that come and go group by group, as the first rows of a partition do; nobody
 * asks for them by key. Table {@code bundles}, by the hash of the group's columns: these → {@link
 * RowList} of stream key and user's columns in turn. A group costs one read and one write.
 */
final class GroupedView implements ViewStore {
  private final StateTable table;
  private final BundleCount count;
  private final OperatorCounters counters;
  private final RowKeys groups;
  private final int keyFields;
  private final int fields;
  private final Map<UnsafeRow, UnsafeRow> rows = new LinkedHashMap<>();
  private final RowList list = new RowList();
  private UnsafeRow group;
  private int hash;
  private int before;
  private int changes;
  private long added;

  GroupedView(
      Transaction tx, RowKeys groups, int keyFields, int fields, OperatorCounters counters) {
    this.table = StateTable.bundled(tx, BundledView.BUNDLES, counters);
    this.count = new BundleCount(tx, BundledView.BUNDLES, counters);
    this.counters = counters;
    this.groups = groups;
    this.keyFields = keyFields;
    this.fields = fields;
  }

  @Override
  public void enter(InternalRow row) {
    UnsafeRow key = groups.of(row);
    if (group == null || !group.equals(key)) {
      leave();
      group = key.copy();
      hash = groups.hash(group);
      load(table.get(hash, group));
    }
  }

  private void load(Slice found) {
    if (found != null) {
      for (int at = found.offset; at < found.offset + found.length;) {
        UnsafeRow key = new UnsafeRow(Math.max(1, keyFields));
        UnsafeRow row = new UnsafeRow(fields);
        at = RowList.read(found.bytes, at, key);
        at = RowList.read(found.bytes, at, row);
        rows.put(key, row);
      }
    }
    before = rows.size();
  }

  private void leave() {
    if (changes > 0) {
      if (rows.isEmpty()) {
        Mark.GROUP_OF_A_VIEW_GOES.hit();
        table.delete(hash, group);
      } else {
        list.clear();
        rows.forEach((key, row) -> {
          list.add(key);
          list.add(row);
        });
        table.put(hash, group, list.bytes(), 0, list.length());
      }
      counters.stateWrites += changes - 1;
      added += rows.size() - before;
      changes = 0;
    }
    rows.clear();
  }

  @Override
  public boolean insert(UnsafeRow key, UnsafeRow row) {
    changes++;
    return rows.put(key.copy(), row.copy()) == null;
  }

  @Override
  public boolean replace(UnsafeRow key, UnsafeRow row) {
    changes++;
    return rows.replace(key, row.copy()) != null;
  }

  @Override
  public boolean remove(UnsafeRow key) {
    changes++;
    return rows.remove(key) != null;
  }

  @Override
  public void finish() {
    leave();
    if (added != 0) {
      count.add(added);
    }
  }
}
