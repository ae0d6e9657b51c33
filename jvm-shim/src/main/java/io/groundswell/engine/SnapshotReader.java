package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.EntryCursor;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.version.Catalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A snapshot of one version, read at that version's epoch or an older one. */
final class SnapshotReader extends StoreReader implements Snapshot {
  private final Consumer<SnapshotReader> onClose;
  private final List<SnapshotReader> older = new ArrayList<>();
  private boolean open = true;

  SnapshotReader(OpenVersion base, String location, long epoch, Consumer<SnapshotReader> onClose) {
    super(base, location, epoch);
    this.onClose = onClose;
  }

  @Override
  Catalogue catalogue() {
    return base.version.tables();
  }

  @Override
  EntryCursor ownRows(TableSpec table) {
    return null;
  }

  @Override
  boolean inFiles(TableSpec table) {
    return true;
  }

  @Override
  void ended(EntryCursor ownRows) {}

  @Override
  public long version() {
    return base.version.number();
  }

  @Override
  public String id() {
    return base.version.id();
  }

  @Override
  public String baseId() {
    return base.version.baseId();
  }

  @Override
  public long count(TableSpec table) {
    return liveKeys(table);
  }

  @Override
  public byte[] watermarkOf(TableSpec table) {
    check(table);
    Watermark watermark = watermark(table);
    return watermark.isSet() ? watermark.bound() : null;
  }

  @Override
  public boolean get(TableSpec table, int hash, byte[] key, int offset, int length, Slice out) {
    check(table);
    files.counters.gets++;
    if (watermark(table).hides(key, offset, length)) {
      return false;
    }
    stem.set(table, hash, key, offset, length);
    if (!files.get(table.id(), hash, stem.bytes, stem.length, found)) {
      return false;
    }
    out.set(found.value, found.offset, found.length);
    return true;
  }

  @Override
  public ChangeRows changes(TableSpec table) {
    check(table);
    files.counters.scans++;
    List<EntryCursor> sources = new ArrayList<>();
    files.addCursorsSince(epoch, base.version, KeyRange.table(table), sources);
    return new ChangeRows(table, epoch, sources);
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

  @Override
  void checkOpen() {
    if (!open) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "the snapshot of version " + version() + " at " + location + " is closed");
    }
  }
}
