package io.groundswell.engine;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.Found;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.memtable.MemTable;
import io.groundswell.memtable.MemTableCursor;
import io.groundswell.sst.SstWriter;
import io.groundswell.version.Catalogue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A batch: a mem-table over the files of the base version. */
final class StoreTransaction implements Transaction {
  /** Keys that were read and not written are remembered up to this many. */
  private static final int LEARN_LIMIT = 1 << 16;

  private enum State { OPEN, COMMITTED, ABORTED }

  private final EpochStore store;
  private final OpenVersion base;
  private final long epoch;
  private final BaseReads files;
  private final MemTable written;
  private final TableCheck known = new TableCheck();
  private final StemBuffer stem = new StemBuffer();
  private final Found found = new Found();
  private Catalogue tables;
  private State state = State.OPEN;
  private boolean learns = true;

  StoreTransaction(EpochStore store, OpenVersion base) {
    this.store = store;
    this.base = base;
    epoch = base.version.number() + 1;
    files = new BaseReads(base, base.version.number());
    written = new MemTable(epoch);
    tables = base.version.tables();
  }

  OpenVersion base() {
    return base;
  }

  BaseReads files() {
    return files;
  }

  MemTable written() {
    return written;
  }

  @Override
  public long baseVersion() {
    return base.version.number();
  }

  @Override
  public String baseId() {
    return base.version.id();
  }

  @Override
  public Collection<TableSpec> tables() {
    checkOpen();
    return tables.specs();
  }

  @Override
  public TableSpec table(String name) {
    checkOpen();
    return tables.byName(name);
  }

  @Override
  public TableSpec createTable(String name, TableSpec.Layout layout, boolean counted) {
    checkOpen();
    TableSpec existing = tables.byName(name);
    if (existing == null) {
      tables = tables.with(name, layout, counted);
      return tables.byName(name);
    }
    if (existing.layout() != layout || existing.counted() != counted) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "table '" + name + "' of the store at " + store.location() + " is " + existing.layout()
              + (existing.counted() ? ", counted" : ", not counted") + "; it cannot become "
              + layout + (counted ? ", counted" : ", not counted") + " unless it is dropped first");
    }
    return existing;
  }

  @Override
  public boolean dropTable(String name) {
    checkOpen();
    TableSpec table = tables.byName(name);
    if (table == null) {
      return false;
    }
    tables = tables.without(name);
    written.drop(table.id());
    known.reset();
    return true;
  }

  @Override
  public boolean get(TableSpec table, int hash, byte[] key, int offset, int length, Slice out) {
    check(table);
    stem.set(table, hash, key, offset, length);
    files.counters.gets++;
    int row = !learns && written.size() == 0 ? -1 : written.find(stem.bytes, stem.length);
    if (row >= 0) {
      int own = written.own(row);
      if (own == MemTable.PUT) {
        out.set(written.valueBytes(row), written.valueOffset(row), written.valueLength(row));
        return true;
      }
      if (own == MemTable.DELETE || written.base(row) == MemTable.ABSENT) {
        return false;
      }
    }
    if (isNew(table)) {
      return false;
    }
    boolean present = files.get(table.id(), hash, stem.bytes, stem.length, found);
    if (row < 0 && learns && written.size() < LEARN_LIMIT) {
      row = written.add(stem.bytes, stem.length);
    }
    if (row >= 0) {
      written.learn(row, present);
    }
    if (present) {
      out.set(found.value, found.offset, found.length);
    }
    return present;
  }

  @Override
  public void put(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, byte[] value,
      int valueOffset, int valueLength) {
    check(table);
    if (valueLength > SstWriter.MAX_VALUE) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "a value of " + valueLength + " bytes for table '" + table.name() + "'; the limit is "
              + SstWriter.MAX_VALUE);
    }
    stem.set(table, hash, key, keyOffset, keyLength);
    int row = written.find(stem.bytes, stem.length);
    if (row < 0) {
      row = written.add(stem.bytes, stem.length);
    }
    if (written.base(row) == MemTable.UNKNOWN) {
      if (isNew(table)) {
        written.learn(row, false);
      } else if (table.counted()) {
        written.learn(row, files.get(table.id(), hash, stem.bytes, stem.length, found));
      }
    }
    written.put(row, value, valueOffset, valueLength);
  }

  @Override
  public void delete(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength) {
    check(table);
    stem.set(table, hash, key, keyOffset, keyLength);
    int row = written.find(stem.bytes, stem.length);
    if (row < 0 || written.base(row) == MemTable.UNKNOWN) {
      boolean present = !isNew(table) && maybePresent(table, hash);
      if (row < 0 && !present) {
        return;
      }
      if (row < 0) {
        row = written.add(stem.bytes, stem.length);
      }
      if (table.counted() || !present) {
        written.learn(row, present);
      }
    }
    written.delete(row);
  }

  /** Exact for counted tables; for others a filter's word, which costs a needless tombstone. */
  private boolean maybePresent(TableSpec table, int hash) {
    return table.counted() ? files.get(table.id(), hash, stem.bytes, stem.length, found)
                           : files.mayContain(table.id(), hash, stem.bytes, stem.length);
  }

  @Override
  public RowCursor prefix(TableSpec table, int hash, byte[] prefix, int offset, int length) {
    check(table);
    files.counters.scans++;
    KeyRange range = KeyRange.prefix(table, hash, prefix, offset, length);
    List<EntryCursor> sources = new ArrayList<>();
    MemTableCursor own = addOwn(table, sources);
    if (!isNew(table)) {
      if (table.layout() == TableSpec.Layout.HASHED) {
        files.addCursors(table, range, hash, sources);
      } else {
        files.addCursors(range, sources);
      }
    }
    return VisibleRows.of(table, range, epoch, sources, own == null ? null : own::close);
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
    MemTableCursor own = addOwn(table, sources);
    if (!isNew(table)) {
      files.addCursors(range, sources);
    }
    return VisibleRows.of(table, range, epoch, sources, own == null ? null : own::close);
  }

  private MemTableCursor addOwn(TableSpec table, List<EntryCursor> sources) {
    MemTableCursor own = written.cursor(table.id());
    if (own != null) {
      sources.add(own);
    }
    return own;
  }

  @Override
  public long count(TableSpec table) {
    check(table);
    return liveKeys(tables, table) + written.liveDelta(table.id());
  }

  @Override
  public void learnFromReads(boolean learn) {
    learns = learn;
  }

  @Override
  public long memoryBytes() {
    return written.memoryBytes();
  }

  @Override
  public Commit commit() {
    checkOpen();
    state = State.ABORTED; // unless it succeeds: a batch is not tried twice
    try {
      Commit commit = store.commit(this, withCounts());
      state = State.COMMITTED;
      return commit;
    } finally {
      store.ended(this);
    }
  }

  private Catalogue withCounts() {
    List<Catalogue.Entry> entries = new ArrayList<>();
    for (Catalogue.Entry entry : tables.entries()) {
      TableSpec spec = entry.spec();
      long live = spec.counted() ? entry.liveKeys() + written.liveDelta(spec.id()) : 0;
      entries.add(new Catalogue.Entry(spec, live, entry.watermark()));
    }
    return new Catalogue(entries, tables.nextId());
  }

  @Override
  public void abort() {
    if (state == State.OPEN) {
      state = State.ABORTED;
      store.ended(this);
    }
  }

  @Override
  public void close() {
    abort();
  }

  static long liveKeys(Catalogue tables, TableSpec table) {
    if (!table.counted()) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "table '" + table.name() + "' is not counted; create it with counted = true");
    }
    return tables.liveKeys(table.id());
  }

  /** True if no file can hold rows of the table. */
  private boolean isNew(TableSpec table) {
    return files.isEmpty() || table.id() >= base.version.tables().nextId();
  }

  private void check(TableSpec table) {
    checkOpen();
    known.check(table, tables, store.location());
  }

  private void checkOpen() {
    if (state != State.OPEN) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "the batch on version " + baseVersion() + " of the store at " + store.location() + " is "
              + state.name().toLowerCase(java.util.Locale.ROOT));
    }
  }
}
