package io.groundswell.spark.views.operator.state;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A barrier's changes, or a part of them, by a key that many rows share: that of an index, or of a
 * window's partition. Those of one group are netted by the rest of the stream key.
 */
public final class GroupedChanges {
  /** Bytes of a group's key and of a change beside their own: objects and maps. */
  private static final int KEY_OVERHEAD = 250;

  private static final int ROW_OVERHEAD = 220;

  private final Map<UnsafeRow, ChangeBuffer> byGroup = new LinkedHashMap<>();
  private final RowKeys groups;
  private final RowKeys streamKeys;
  private final UnsafeProjection values;
  private final int weight;

  /**
   * @param groups keys of the groups
   * @param streamKey positions of what tells the rows of a group apart
   */
  public GroupedChanges(Projections code, List<Column> columns, RowKeys groups, int[] streamKey) {
    this.groups = groups;
    streamKeys = new RowKeys(code, columns, streamKey);
    values = code.select(columns, Projections.all(columns.size()));
    weight = columns.size();
  }

  /** Keys of the groups. */
  public RowKeys groups() {
    return groups;
  }

  /** The changes, by the key of their group. */
  public Map<UnsafeRow, ChangeBuffer> byGroup() {
    return byGroup;
  }

  /** Adds a row to its group; returns how many bytes more are held, about. */
  public long add(UnsafeRow group, InternalRow row) {
    ChangeBuffer buffer = byGroup.get(group);
    long held = ROW_OVERHEAD;
    if (buffer == null) {
      buffer = new ChangeBuffer();
      byGroup.put(group.copy(), buffer);
      held += KEY_OVERHEAD + group.getSizeInBytes();
    }
    UnsafeRow value = values.apply(row);
    buffer.add(streamKeys.of(row), row.getInt(weight), value);
    return held + value.getSizeInBytes();
  }

  /** Moves a row of an input to a later pass. */
  public void move(int input, InternalRow row, Passes.Target parts) {
    parts.add(input, groups.hash(groups.of(row)), row.getInt(weight), values.apply(row));
  }

  /** Moves all to a later pass. */
  public void moveAll(int input, Passes.Target parts) {
    byGroup.forEach((key, buffer) -> {
      int hash = groups.hash(key);
      buffer.forEach((row, change) -> parts.add(input, hash, change, row));
    });
    byGroup.clear();
  }
}
