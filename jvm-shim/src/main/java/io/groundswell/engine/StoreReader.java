package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.version.Catalogue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What a snapshot and a batch have in common: tables are checked, keys become stems, scans merge
 * files with what lies above them.
 */
abstract class StoreReader implements Reader {
  final OpenVersion base;
  final String location;

  /** What reads see at most. */
  final long epoch;

  final BaseReads files;
  final StemBuffer stem = new StemBuffer();
  final LookupResult found = new LookupResult();
  private final TableCheck known = new TableCheck();

  StoreReader(OpenVersion base, String location, long epoch) {
    this.base = base;
    this.location = location;
    this.epoch = epoch;
    files = new BaseReads(base, epoch);
  }

  /** The tables as they are now. */
  abstract Catalogue catalogue();

  /** Raises {@code ILLEGAL_STATE} once it was closed, committed or aborted. */
  abstract void checkOpen();

  /** A cursor of newer rows than any file's, or null. */
  abstract EntryCursor ownRows(TableSpec table);

  /** False if no file can hold rows of the table. */
  abstract boolean inFiles(TableSpec table);

  /** Called once for each scan, when it is at its end or closed. */
  abstract void ended(EntryCursor ownRows);

  final OpenVersion base() {
    return base;
  }

  final BaseReads files() {
    return files;
  }

  public final Collection<TableSpec> tables() {
    checkOpen();
    return catalogue().specs();
  }

  public final TableSpec table(String name) {
    checkOpen();
    return catalogue().byName(name);
  }

  @Override
  public final RowCursor prefix(TableSpec table, int hash, byte[] prefix, int offset, int length) {
    check(table);
    return oneHash(table, KeyRange.prefix(table, hash, prefix, offset, length), hash);
  }

  @Override
  public final RowCursor prefixFrom(
      TableSpec table, int hash, byte[] from, int length, int prefixLength) {
    check(table);
    return oneHash(table, KeyRange.prefixFrom(table, hash, from, length, prefixLength), hash);
  }

  private RowCursor oneHash(TableSpec table, KeyRange range, int hash) {
    return rows(table, range, table.layout() == TableSpec.Layout.HASHED, hash);
  }

  @Override
  public final RowCursor range(TableSpec table, byte[] lower, byte[] upper) {
    check(table);
    return rows(table, KeyRange.ordered(table, lower, upper), false, 0);
  }

  @Override
  public final RowCursor hashed(TableSpec table, int firstByte) {
    check(table);
    return rows(table, KeyRange.hashed(table, firstByte), false, 0);
  }

  @Override
  public final RowCursor scan(TableSpec table) {
    check(table);
    return rows(table, KeyRange.table(table), false, 0);
  }

  private RowCursor rows(TableSpec table, KeyRange range, boolean oneHash, int hash) {
    files.counters.scans++;
    List<EntryCursor> sources = new ArrayList<>();
    EntryCursor own = ownRows(table);
    if (own != null) {
      sources.add(own);
    }
    if (inFiles(table)) {
      if (oneHash) {
        files.addCursors(table, range, hash, sources);
      } else {
        files.addCursors(range, sources);
      }
    }
    return VisibleRows.of(table, watermark(table), range, epoch, sources, () -> ended(own));
  }

  final Watermark watermark(TableSpec table) {
    return catalogue().watermark(table.id());
  }

  /** Live keys of a counted table in the catalogue. */
  final long liveKeys(TableSpec table) {
    check(table);
    if (!table.counted()) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "table '" + table.name() + "' is not counted; create it with counted = true");
    }
    return catalogue().liveKeys(table.id());
  }

  final void check(TableSpec table) {
    checkOpen();
    known.check(table, catalogue(), location);
  }

  /** Must follow a change of the catalogue. */
  final void tablesChanged() {
    known.reset();
  }
}
