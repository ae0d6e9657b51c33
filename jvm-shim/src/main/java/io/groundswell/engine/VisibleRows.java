package io.groundswell.engine;

import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.MergeCursor;
import io.groundswell.iter.VisibleCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import java.util.List;

/** The rows of a range over a mem-table and files. */
final class VisibleRows extends RowCursor {
  private final TableSpec.Layout layout;
  private final Watermark watermark;
  private final Runnable onClose;
  private final Slice key = new Slice();
  private final Slice value = new Slice();
  private VisibleCursor rows;

  private VisibleRows(
      TableSpec.Layout layout, Watermark watermark, VisibleCursor rows, Runnable onClose) {
    this.layout = layout;
    this.watermark = watermark;
    this.rows = rows;
    this.onClose = onClose;
  }

  /**
   * Merges the sources, newest first; they need not stop at the range's end. Rows below the
   * watermark are left out, in one step where the table is in order of its user keys.
   */
  static RowCursor of(TableSpec table, Watermark watermark, KeyRange wanted, long epoch,
      List<EntryCursor> sources, Runnable onClose) {
    KeyRange range = watermark.isSet() ? wanted.from(watermark) : wanted;
    VisibleCursor rows = switch (sources.size()) {
      case 0 -> {
        onClose.run();
        yield null;
      }
      case 1 -> new VisibleCursor(sources.get(0), range, epoch);
      default ->
        new VisibleCursor(new MergeCursor(sources.toArray(new EntryCursor[0])), range, epoch);
    };
    return new VisibleRows(table.layout(), watermark, rows, onClose);
  }

  @Override
  public boolean next() {
    if (rows == null) {
      return false;
    }
    do {
      if (!rows.next()) {
        close();
        return false;
      }
    } while (watermark.hidesRow(layout, rows.key, rows.keyLength));
    return true;
  }

  @Override
  public Slice key() {
    key.set(rows.key, InternalKey.userKeyOffset(layout), InternalKey.userKeyLength(rows.keyLength));
    return key;
  }

  @Override
  public int hash() {
    return InternalKey.hashOf(layout, rows.key, rows.keyLength);
  }

  @Override
  public Slice value() {
    value.set(rows.value, rows.valueOffset, rows.valueLength);
    return value;
  }

  @Override
  public long epoch() {
    return rows.rowEpoch();
  }

  @Override
  public void close() {
    if (rows != null) {
      rows = null;
      onClose.run();
    }
  }
}
