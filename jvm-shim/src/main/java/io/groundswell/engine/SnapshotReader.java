package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.Found;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** A snapshot of one version, read at that version's epoch or an older one. */
final class SnapshotReader implements Snapshot {
  private final OpenVersion base;
  private final String location;
  private final long epoch;
  private final Consumer<SnapshotReader> onClose;
  private final BaseReads files;
  private final TableCheck known = new TableCheck();
  private final StemBuffer stem = new StemBuffer();
  private final Found found = new Found();
  private final List<SnapshotReader> older = new ArrayList<>();
  private boolean open = true;

  SnapshotReader(OpenVersion base, String location, long epoch, Consumer<SnapshotReader> onClose) {
    this.base = base;
    this.location = location;
    this.epoch = epoch;
    this.onClose = onClose;
    files = new BaseReads(base, epoch);
  }

  OpenVersion base() {
    return base;
  }

  BaseReads files() {
    return files;
  }

  @Override
  public long version() {
    return base.version.number();
  }

  @Override
  public String id() {
    return base.version.id();
  }

  @Override
  public Collection<TableSpec> tables() {
    return base.version.tables().specs();
  }

  @Override
  public TableSpec table(String name) {
    return base.version.tables().byName(name);
  }

  @Override
  public long count(TableSpec table) {
    check(table);
    return StoreTransaction.liveKeys(base.version.tables(), table);
  }

  @Override
  public boolean get(TableSpec table, int hash, byte[] key, int offset, int length, Slice out) {
    check(table);
    stem.set(table, hash, key, offset, length);
    files.counters.gets++;
    if (!files.get(table.id(), hash, stem.bytes, stem.length, found)) {
      return false;
    }
    out.set(found.value, found.offset, found.length);
    return true;
  }

  @Override
  public RowCursor prefix(TableSpec table, int hash, byte[] prefix, int offset, int length) {
    check(table);
    files.counters.scans++;
    KeyRange range = KeyRange.prefix(table, hash, prefix, offset, length);
    List<EntryCursor> sources = new ArrayList<>();
    if (table.layout() == TableSpec.Layout.HASHED) {
      files.addCursors(table, range, hash, sources);
    } else {
      files.addCursors(range, sources);
    }
    return VisibleRows.of(table, range, epoch, sources, null);
  }

  @Override
  public RowCursor range(TableSpec table, byte[] lower, byte[] upper) {
    return rows(table, KeyRange.ordered(table, lower, upper));
  }

  @Override
  public RowCursor scan(TableSpec table) {
    return rows(table, KeyRange.table(table));
  }

  private RowCursor rows(TableSpec table, KeyRange range) {
    check(table);
    files.counters.scans++;
    List<EntryCursor> sources = new ArrayList<>();
    files.addCursors(range, sources);
    return VisibleRows.of(table, range, epoch, sources, null);
  }

  @Override
  public Reader asOf(long olderEpoch) {
    checkOpen();
    if (olderEpoch > version() || olderEpoch < base.version.safeEpoch()) {
      throw new EngineException(ErrorCode.VERSION_UNAVAILABLE,
          location + ", version " + version() + ": epoch " + olderEpoch
              + " cannot be read from it; epochs " + base.version.safeEpoch() + " to " + version()
              + " can. Open the older version itself");
    }
    SnapshotReader reader = new SnapshotReader(base, location, olderEpoch, null);
    older.add(reader);
    return reader;
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      for (SnapshotReader reader : older) {
        reader.open = false;
      }
      if (onClose != null) {
        onClose.accept(this);
      }
    }
  }

  private void check(TableSpec table) {
    checkOpen();
    known.check(table, base.version.tables(), location);
  }

  private void checkOpen() {
    if (!open) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "the snapshot of version " + version() + " at " + location + " is closed");
    }
  }
}
