package io.groundswell.engine;

import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.MergeCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import java.util.List;

/** The rows of a table that one epoch wrote, and the keys it deleted. */
public final class ChangeRows extends RowCursor {
  private final KeyRange range;
  private final TableSpec.Layout layout;
  private final long epoch;
  private final Slice key = new Slice();
  private final Slice value = new Slice();
  private EntryCursor entries;
  private boolean started;

  ChangeRows(TableSpec table, long epoch, List<EntryCursor> sources) {
    this.range = KeyRange.table(table);
    this.layout = table.layout();
    this.epoch = epoch;
    this.entries = switch (sources.size()) {
      case 0 -> null;
      case 1 -> sources.get(0);
      default -> new MergeCursor(sources.toArray(EntryCursor[] ::new));
    };
  }

  @Override
  public boolean next() {
    while (entries != null) {
      step();
      if (!entries.valid || !range.startsWithPrefix(entries.key, entries.keyLength)) {
        close();
      } else if (epoch() == epoch) {
        return true;
      }
    }
    return false;
  }

  private void step() {
    if (started) {
      entries.next();
    } else {
      byte[] target = range.seekTarget();
      entries.seek(target, target.length);
      started = true;
    }
  }

  /** True if the epoch removed the key; there is no value then. */
  public boolean isDelete() {
    return entries.delete;
  }

  @Override
  public Slice key() {
    key.set(entries.key, InternalKey.userKeyOffset(layout),
        InternalKey.userKeyLength(entries.keyLength));
    return key;
  }

  @Override
  public int hash() {
    return InternalKey.hashOf(layout, entries.key, entries.keyLength);
  }

  @Override
  public Slice value() {
    value.set(entries.value, entries.valueOffset, entries.valueLength);
    return value;
  }

  @Override
  public long epoch() {
    return InternalKey.epochOf(entries.key, entries.keyLength);
  }

  @Override
  public void close() {
    entries = null;
  }
}
